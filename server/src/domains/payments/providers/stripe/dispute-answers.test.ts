import { afterAll, beforeAll, expect, test } from 'vitest';
import { type StripeSimulator, startStripeSimulator } from '../../../../../tests/support/simulators/stripe.ts';
import type { DisputeFacts } from '../../../../../tests/support/simulators/stripe-disputes.ts';
import { dayMs } from '../../../../core/clock.ts';
import type { AcceptDisputeOperation, EvidenceFile, SubmitEvidenceOperation } from '../dispute.ts';
import type { DisputeAnswers } from '../provider.ts';
import { callWith, chargeOperation, credentials } from './fixture/operations.ts';
import { StripeProvider } from './stripe.ts';

let simulator: StripeSimulator;
let stripe: StripeProvider;
let answers: DisputeAnswers;
let nowMs = Date.now();

beforeAll(async () => {
  simulator = await startStripeSimulator({ clock: () => nowMs });
  stripe = new StripeProvider(simulator.url, () => nowMs);
  answers = stripe.disputes.answers as DisputeAnswers;
});
afterAll(() => simulator.close());

const call = callWith();
const disputes = () => simulator.account.disputes;
let count = 0;

async function disputed(facts: DisputeFacts = {}): Promise<SubmitEvidenceOperation> {
  const { reference } = (await stripe.charge(chargeOperation(), call)) as { reference: string };
  const { id } = disputes().open(reference, facts);
  const named = { key: `dsp_${++count}-1`, disputeId: `dsp_${count}`, reference: id, chargeReference: reference };
  const texts = [{ name: 'product_description', text: 'A chess board' }];
  return { kind: 'SUBMIT', ...named, calledMs: null, texts, files: [], defenseReason: null };
}

const acceptanceOf = ({ texts: _, files: __, defenseReason: ___, ...named }: SubmitEvidenceOperation) =>
  ({ ...named, kind: 'ACCEPT' }) as AcceptDisputeOperation;
const sent = ({ reference }: SubmitEvidenceOperation) => disputes().get(reference);
const readAgain = async ({ reference, chargeReference }: SubmitEvidenceOperation) =>
  stripe.disputes.read({ dispute: reference, charge: chargeReference }, call);

function fileOf(name: string, facts: Partial<EvidenceFile> = {}): EvidenceFile {
  const content = Buffer.from('%PDF-1.7 a receipt with "quotes" and ünïcode');
  return { name, id: `fil_${++count}`, fileName: 'Beleg "1".pdf', type: 'application/pdf', content, ...facts };
}

test('evidence is submitted once, with its texts and with files that are uploaded first', async () => {
  const operation = await disputed();
  const receipt = fileOf('receipt');
  const photo = fileOf('uncategorized_file', { type: 'image/png', fileName: 'photo.png' });
  const outcome = await answers.submit({ ...operation, files: [receipt, photo] }, call);
  expect(outcome).toEqual({ kind: 'succeeded', reference: operation.reference, livemode: false });
  const { evidence, evidence_details: details, status } = sent(operation);
  expect([status, details.submission_count]).toEqual(['under_review', 1]);
  expect(evidence.product_description).toBe('A chess board');
  expect(disputes().files.get(evidence.receipt as string)).toMatchObject({
    purpose: 'dispute_evidence',
    size: receipt.content.length,
    type: 'pdf',
  });
  expect(disputes().files.get(evidence.uncategorized_file as string)).toMatchObject({ filename: 'photo.png' });
  expect(await readAgain(operation)).toMatchObject({ dispute: { status: 'SUBMITTED', actions: [] } });
});

test('a lost answer to a submission is found in the dispute, and the evidence is not sent twice', async () => {
  for (const fault of ['dropAfter', 'status500After', 'garbageAfter'] as const) {
    const operation = await disputed();
    const hit = simulator.next(fault, /^POST \/v1\/disputes/);
    expect(await answers.submit(operation, call), fault).toMatchObject({ kind: 'unknown' });
    await hit;
    const before = simulator.requests.length;
    expect(await answers.submit(operation, call), fault).toMatchObject({ kind: 'succeeded' });
    expect(simulator.requests.slice(before).map(({ method }) => method)).toEqual(['GET']);
    expect(sent(operation).evidence_details.submission_count).toBe(1);
  }
});

test('a submission that did not arrive is sent again, also after a stored failure of Stripe', async () => {
  for (const fault of ['dropBefore', 'status500Before'] as const) {
    const operation = { ...(await disputed()), files: [fileOf('receipt')] };
    const hit = simulator.next(fault, /^POST \/v1\/disputes/);
    expect(await answers.submit(operation, call), fault).toMatchObject({ kind: 'unknown' });
    await hit;
    expect(await answers.submit(operation, call), fault).toMatchObject({ kind: 'succeeded' });
    expect(sent(operation).evidence_details.submission_count).toBe(1);
  }
});

test('two nodes that submit at once submit once', async () => {
  const operation = await disputed();
  const outcomes = await Promise.all([answers.submit(operation, call), answers.submit(operation, call)]);
  expect(outcomes.map(({ kind }) => kind)).toEqual(['succeeded', 'succeeded']);
  expect(sent(operation).evidence_details.submission_count).toBe(1);
});

test('a refused file, a deadline that has passed and a limit of the request leave the dispute open', async () => {
  const late = await disputed({ dueInDays: 1 });
  const wrong = { ...(await disputed()), files: [fileOf('receipt', { type: 'image/tiff' })] };
  const long = { ...(await disputed()), texts: [{ name: 'uncategorized_text', text: 'x'.repeat(20_001) }] };
  expect(await answers.submit(wrong, call)).toMatchObject({ kind: 'failed', failure: { code: 'invalid_operation' } });
  await simulator.conformance.unchecked(async () => {
    expect(await answers.submit(long, call)).toMatchObject({ kind: 'failed', failure: { code: 'invalid_operation' } });
  });
  nowMs += 2 * dayMs;
  expect(await answers.submit(late, call)).toMatchObject({ kind: 'failed', failure: { code: 'invalid_operation' } });
  for (const operation of [wrong, long, late]) expect(sent(operation).status).toBe('needs_response');
  const limited = simulator.next('rateLimit', /disputes/);
  expect(await answers.submit(wrong, call)).toMatchObject({ kind: 'rate_limited' });
  await limited;
});

test('a dispute that was decided without an answer can no longer be answered', async () => {
  const operation = await disputed();
  disputes().decide(operation.reference, 'lost');
  expect(await answers.submit(operation, call)).toMatchObject({ kind: 'failed', failure: { providerCode: 'lost' } });
});

test('accepting a dispute loses it, once, whatever happens to the answer', async () => {
  const operation = await disputed();
  const dropped = simulator.next('dropAfter', /close$/);
  expect(await answers.accept(acceptanceOf(operation), call)).toMatchObject({ kind: 'unknown' });
  await dropped;
  expect(await answers.accept(acceptanceOf(operation), call)).toMatchObject({ kind: 'succeeded' });
  expect(await readAgain(operation)).toMatchObject({ dispute: { status: 'LOST' } });
  const answered = await disputed();
  await answers.submit(answered, call);
  expect(await answers.accept(acceptanceOf(answered), call)).toMatchObject({ kind: 'failed' });
});

test('an inquiry is answered as a dispute is, and both end by test words', async () => {
  const inquiry = await disputed({ isInquiry: true });
  expect(await answers.submit(inquiry, call)).toMatchObject({ kind: 'succeeded' });
  expect(await readAgain(inquiry)).toMatchObject({ dispute: { stage: 'INQUIRY', status: 'SUBMITTED' } });
  for (const [text, status] of [
    ['winning_evidence', 'WON'],
    ['losing_evidence', 'LOST'],
  ] as const) {
    const operation = { ...(await disputed()), texts: [{ name: 'uncategorized_text', text }] };
    expect(await answers.submit(operation, call)).toMatchObject({ kind: 'succeeded' });
    expect(await readAgain(operation)).toMatchObject({ dispute: { status } });
  }
});

// The published document does not have appeals yet; the pinned library has.
test('a loss that can be appealed takes evidence once more, of other names, and decides in that stage', async () => {
  const operation = await disputed();
  await answers.submit(operation, call);
  disputes().decide(operation.reference, 'lost');
  await simulator.conformance.unchecked(async () => {
    disputes().offerAppeal(operation.reference);
    expect(await readAgain(operation)).toMatchObject({
      dispute: {
        stage: 'PRE_ARBITRATION',
        status: 'OPEN',
        actions: ['SUBMIT'],
        evidenceFields: [
          { name: 'reason_for_filing', kind: 'TEXT' },
          { name: 'supporting_files', kind: 'FILE' },
        ],
      },
    });
    const texts = [{ name: 'reason_for_filing', text: 'The parcel was signed for' }];
    const appeal = { ...operation, key: `${operation.disputeId}-2`, texts, files: [fileOf('supporting_files')] };
    expect(await answers.submit(appeal, call)).toMatchObject({ kind: 'succeeded' });
    expect(await readAgain(operation)).toMatchObject({ dispute: { stage: 'PRE_ARBITRATION', status: 'SUBMITTED' } });
    expect(sent(operation).evidence.appeal).toMatchObject({
      card: { reason_for_filing: 'The parcel was signed for', supporting_files: [expect.stringMatching(/^file_/)] },
    });
    disputes().decide(operation.reference, 'won');
    expect(await readAgain(operation)).toMatchObject({ dispute: { stage: 'PRE_ARBITRATION', status: 'WON' } });
  });
});

test('without a key that is one of Stripe, or with one that may not, nothing is submitted', async () => {
  const operation = await disputed();
  const withKey = (apiKey: string) => callWith({ credentials: { ...credentials, apiKey } });
  for (const apiKey of ['nonsense', 'sk_test_unknown']) {
    expect(await answers.submit(operation, withKey(apiKey))).toMatchObject({
      kind: 'failed',
      failure: { code: 'credentials_refused' },
    });
  }
  expect(sent(operation).status).toBe('needs_response');
});
