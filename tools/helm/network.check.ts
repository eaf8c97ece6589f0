import { describe, expect, test } from 'vitest';
import { external, kindsOf, least, plugin, the, usual } from './manifests.ts';
import { isInstalled } from './places.ts';
import { podOf, render, template } from './render.ts';
import type { Manifest } from './schemas.ts';

describe.skipIf(!isInstalled())('network policies', () => {
  /** What a policy allows, as lines. */
  const flowsOf = ({ metadata, spec }: Manifest) =>
    (['ingress', 'egress'] as const).flatMap((direction) =>
      ((spec[direction] ?? []) as Manifest[]).flatMap((rule) => {
        const peers = (direction === 'ingress' ? rule.from : rule.to) as Manifest[];
        // Without peers, a rule allows all of them.
        expect(peers.length, JSON.stringify(rule)).toBeGreaterThan(0);
        const ports = (rule.ports as { port: number }[]).map(({ port }) => port).join(' ');
        return peers.map((peer) => `${metadata.name} ${direction} ${ports} ${describePeer(peer)}`);
      }),
    );

  const describePeer = ({ ipBlock, namespaceSelector, podSelector }: Manifest) =>
    ipBlock?.cidr ??
    [namespaceSelector, podSelector]
      .map((selector) => selector?.matchLabels && Object.values(selector.matchLabels).join('+'))
      .filter((text) => text !== undefined)
      .join('/');

  test('let pods do what they need with a database of CloudNativePG, and nothing else', () => {
    const policies = render(usual).filter(({ kind }) => kind === 'NetworkPolicy');
    // Of every pod of the release: what no policy allows is refused, in both directions.
    expect(the(policies, 'NetworkPolicy', 'florin').spec.policyTypes).toEqual(['Ingress', 'Egress']);
    expect(the(policies, 'NetworkPolicy', 'florin-database').spec.policyTypes).toEqual(['Ingress']);
    expect(policies.flatMap(flowsOf)).toEqual([
      'florin egress 53 53 kube-system/kube-dns',
      'florin egress 5432 florin-database',
      'florin-node ingress http gateways',
      'florin-node ingress http monitoring/prometheus',
      'florin-outside egress 443 465 587 0.0.0.0/0',
      'florin-outside egress 443 465 587 ::/0',
      'florin-database ingress 5432 florin+florin',
      'florin-database ingress 5432 8000 florin-database',
      'florin-database ingress 5432 8000 cnpg-system/cloudnative-pg',
      'florin-database ingress 9187 monitoring/prometheus',
    ]);
  });

  test('let pods do what they need with a database elsewhere, and nothing else', () => {
    const policies = render(external).filter(({ kind }) => kind === 'NetworkPolicy');
    expect(policies.flatMap(flowsOf)).toEqual([
      'florin egress 53 53 kube-system/kube-dns',
      'florin egress 5432 6432 10.1.2.3/32',
      'florin egress 5432 6432 10.1.2.4/32',
      'florin-node ingress http ingress',
      'florin-outside egress 443 465 587 0.0.0.0/0',
      'florin-outside egress 443 465 587 ::/0',
      'florin-outside egress 4318 tracing',
    ]);
  });

  test('keep nodes from private addresses, among them the one that tells machines their credentials', () => {
    const [rule] = the(render(usual), 'NetworkPolicy', '-outside').spec.egress;
    expect(rule.to[0].ipBlock.except).toEqual(
      expect.arrayContaining(['10.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12', '192.168.0.0/16']),
    );
    expect(rule.to[1].ipBlock.except).toEqual(expect.arrayContaining(['fc00::/7', 'fe80::/10']));
  });

  test('hold for every pod of the release, of which only nodes are reached, and nodes and the test call others', () => {
    const manifests = render(plugin);
    const selects = (suffix: string) => {
      const { matchLabels, matchExpressions = [] } = the(manifests, 'NetworkPolicy', suffix).spec.podSelector;
      return (labels: Record<string, string>) =>
        Object.entries(matchLabels).every(([name, value]) => labels[name] === value) &&
        (matchExpressions as Manifest[]).every(({ key, values }) => values.includes(labels[key]));
    };
    const [all, node, outside] = ['florin', '-node', '-outside'].map(selects);
    const selected = manifests.flatMap((manifest) => {
      const { labels } = podOf(manifest) ?? {};
      return labels === undefined
        ? []
        : [[labels['app.kubernetes.io/component'], ...[all, node, outside].map((by) => by?.(labels))]];
    });
    expect(selected.sort()).toEqual([
      ['job', true, false, false],
      ['migration', true, false, false],
      ['node', true, true, true],
      ['test', true, false, true],
    ]);
  });
});

describe.skipIf(!isInstalled())('the way in', () => {
  test('is an Ingress without annotations, below the path of the public address', () => {
    const { metadata, spec } = the(render(external), 'Ingress');
    expect(metadata.annotations).toBeUndefined();
    expect(spec.rules).toEqual([
      {
        host: 'example.com',
        http: {
          paths: [
            { path: '/florin', pathType: 'Prefix', backend: { service: { name: 'florin', port: { name: 'http' } } } },
          ],
        },
      },
    ]);
  });

  test('is a route of the Gateway API, on which the stream of events has no time limit', () => {
    const { spec } = the(render(usual), 'HTTPRoute');
    expect(spec.hostnames).toEqual(['pay.example.com']);
    const [stream, rest] = spec.rules;
    expect([stream.matches[0].path.value, stream.timeouts.request]).toEqual(['/api/stream', '0s']);
    expect([rest.matches[0].path, rest.timeouts]).toEqual([{ type: 'PathPrefix', value: '/' }, undefined]);
  });

  test('is closed by default, and open only with the networks of those who send requests', () => {
    expect(kindsOf(render(least)).filter((kind) => ['Ingress', 'HTTPRoute'].includes(kind))).toEqual([]);
    for (const [word, missing] of [
      ['trustedProxies=[]', 'trustedProxies'],
      ['networkPolicy.callers=[]', 'networkPolicy.callers'],
      ['httpRoute.parentRefs=[]', 'httpRoute.parentRefs'],
    ] as const) {
      const { status, stderr } = template(usual, '--set-json', word);
      expect([status, stderr], word).toEqual([1, expect.stringContaining(`${missing} is missing`)]);
    }
  });
});
