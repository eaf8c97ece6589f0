import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Bench, Line } from '../../bench.ts';
import type { LoadResult } from '../../processes/load.ts';
import { milliseconds, perSecond } from '../../report/format.ts';
import { type Chart, timelineChart } from '../../report/timeline-chart.ts';
import type { Service } from '../../service.ts';

const connections = 256;
const bareSeconds = 30;
/** So often the bare server is measured until the host has left it a quiet second. */
const bareTries = 6;
const picture = fileURLToPath(new URL('../../steady.svg', import.meta.url));

interface SteadyTimeline {
  service: Service;
  barePort: number;
  requests: string[];
  ratePerSecond: number;
  minutes: number;
}

/** What the service and PostgreSQL did in one second. */
interface Activity {
  atMs: number;
  nodeCpuMs: number;
  postgresCpuMs: number;
  /** Checkpoints completed so far. */
  checkpoints: number;
  autovacuums: number;
}

/**
 * Measures creates at a steady rate for minutes, and draws p99 of each second above the CPU time, checkpoints and
 * autovacuum of the same second, and above the time that the host of this virtual machine took. The bare server at the
 * same rate, before and after the run, is the control. The figure compares quiet seconds, since the host takes more
 * from one side than from the other.
 */
export async function steadyTimeline(bench: Bench, options: SteadyTimeline): Promise<Line> {
  const { service, barePort, requests, ratePerSecond, minutes } = options;
  const job = { requests, connections, ratePerSecond, isTimelineWanted: true };
  const bareLoad = () => quietLoad(bench, { ...job, port: barePort, seconds: bareSeconds });
  const bareBefore = await bareLoad();
  const observer = observe(service);
  const load = await bench.load({ ...job, port: service.port, seconds: minutes * 60 }).finally(() => observer.stop());
  if (load.failures > 0) throw new Error(`${load.failures} requests failed at ${ratePerSecond}/s.`);
  const bareAfter = await bareLoad();
  if (load.quietP99Ms === undefined) throw noQuietSecond('service');
  const barePart = (name: 'p99Ms' | 'quietP99Ms') => (bareBefore[name] + bareAfter[name]) / 2;
  const bare = { p99Ms: barePart('p99Ms'), quietP99Ms: barePart('quietP99Ms') };
  const activities = observer.activities.map((activity) => ({
    ...activity,
    second: (activity.atMs - load.measuredFromMs) / 1000,
  }));
  const charts: Chart[] = [
    chart(
      `p99 of a create, ms, at ${perSecond(ratePerSecond)}; bare in quiet seconds ${milliseconds(bare.quietP99Ms)}`,
      p99sOf(load.timeline),
    ),
    chart(
      'longest, ms',
      load.timeline.map(({ longestMs }, second) => [second, longestMs]),
    ),
    chart(
      'CPU of the service, ms a second',
      activities.map(({ second, nodeCpuMs }) => [second, nodeCpuMs]),
    ),
    chart(
      'CPU of PostgreSQL, ms a second',
      activities.map(({ second, postgresCpuMs }) => [second, postgresCpuMs]),
    ),
    chart(
      'CPU taken by the host, ms a second',
      load.timeline.map(({ stolenMs }, second) => [second, stolenMs]),
    ),
    chart(
      'autovacuum workers',
      activities.map(({ second, autovacuums }) => [second, autovacuums]),
    ),
  ];
  const marks = activities.flatMap(({ second, checkpoints }, index) =>
    index > 0 && checkpoints > (activities[index - 1]?.checkpoints ?? 0) ? [second] : [],
  );
  writeFileSync(picture, timelineChart(charts, { seconds: minutes * 60, marks, marksMean: 'end of a checkpoint' }));
  const late = load.timeline.filter(({ p99Ms }) => p99Ms > 3 * bare.quietP99Ms).length;
  return {
    measurement: 'steady',
    what: `p99 of create ÷ bare's in quiet seconds, ${minutes} min at ${perSecond(ratePerSecond)}`,
    ours: milliseconds(load.quietP99Ms),
    against: `bare ${milliseconds(bare.quietP99Ms)}`,
    figure: load.quietP99Ms / bare.quietP99Ms,
    goal: { atMost: 3 },
    comment:
      `in all seconds ${milliseconds(load.p99Ms)} | bare ${milliseconds(bare.p99Ms)}; ` +
      `${late} of ${load.timeline.length} seconds above three times bare's quiet p99; ` +
      `longest ${milliseconds(load.longestMs)}; bench/steady.svg`,
  };
}

/**
 * A load that has had a quiet second. Compared with any other, a figure would say more about the host than about the
 * server.
 */
async function quietLoad(
  bench: Bench,
  job: Parameters<Bench['load']>[0],
): Promise<LoadResult & { quietP99Ms: number }> {
  for (let i = 0; i < bareTries; i++) {
    const { quietP99Ms, ...result } = await bench.load(job);
    if (quietP99Ms !== undefined) return { ...result, quietP99Ms };
  }
  throw noQuietSecond('bare server');
}

function noQuietSecond(side: string): Error {
  return new Error(
    `The host left the ${side} no quiet second. Repeat the measurement when the machine has its processors.`,
  );
}

function p99sOf(timeline: readonly { p99Ms: number }[]): [number, number][] {
  return timeline.map(({ p99Ms }, second) => [second, p99Ms]);
}

function chart(title: string, points: [number, number][]): Chart {
  return { title, points };
}

/** Reads the activity every second until stopped. */
function observe(service: Service): { activities: Activity[]; stop: () => void } {
  const activities: Activity[] = [];
  let cpu = service.cpu();
  const timer = setInterval(() => {
    const before = cpu;
    cpu = service.cpu();
    const nodeCpuMs = (cpu.nodeUs - before.nodeUs) / 1000;
    const postgresCpuMs = (cpu.postgresUs - before.postgresUs) / 1000;
    const atMs = performance.timeOrigin + performance.now();
    service.database
      .query<{ checkpoints: number; autovacuums: number }>(
        `select (select num_done::int from pg_stat_checkpointer) as checkpoints,
           (select count(*)::int from pg_stat_activity where backend_type = 'autovacuum worker') as autovacuums`,
      )
      .then(({ rows: [row] }) => {
        if (row !== undefined) activities.push({ atMs, nodeCpuMs, postgresCpuMs, ...row });
      })
      // A second without a reading is a gap in the picture; the load itself reports a service that is down.
      .catch(() => {});
  }, 1000);
  return { activities, stop: () => clearInterval(timer) };
}
