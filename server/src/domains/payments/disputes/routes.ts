import { Type } from 'typebox';
import { pagingOf } from '../../../platform/http/list-query.ts';
import type { Route } from '../../../platform/http/route.ts';
import { routesFor } from '../../../platform/http/routes-for.ts';
import type { PaymentsApp } from '../app.ts';
import { acceptDispute, submitEvidence } from './answer.ts';
import { detailOf, disputeDetail, fileRecord } from './detail.ts';
import { draftEvidence } from './evidence.ts';
import { addFile } from './file.ts';
import { listDisputes } from './list.ts';
import { readDispute } from './read.ts';
import {
  acceptInput,
  disputeListQuery,
  disputeQuery,
  evidenceInput,
  fileQuery,
  listedDispute,
  submitInput,
} from './schema.ts';

const { get, postOnce } = routesFor<PaymentsApp>();

export const disputeRoutes: readonly Route<PaymentsApp>[] = [
  get('/api/dispute/detail', 'transaction_read', 'Disputes', {
    summary: 'Get a dispute',
    query: disputeQuery,
    data: disputeDetail,
    handle: async ({ query, principal }, { database }) => ({
      data: await detailOf(database, await readDispute(database, query.id, principal)),
    }),
  }),

  get('/api/dispute/list', 'transaction_read', 'Disputes', {
    summary: 'List disputes',
    description: `Newest first. ${pagingOf('disputes', [])}`,
    query: disputeListQuery,
    data: Type.Array(listedDispute),
    paged: 'by_page_or_cursor',
    handle: listDisputes,
  }),

  postOnce('/api/dispute/evidence', 'transaction_refund', 'Disputes', {
    operationId: 'updateDisputeEvidence',
    summary: 'Draft evidence',
    description:
      'Changes the draft of the evidence of an OPEN dispute: texts are merged by name, and null clears a text or a ' +
      'file. `evidenceFields` says what the provider takes. Nothing is sent until it is submitted.',
    body: evidenceInput,
    refuses: ['dispute_not_answerable'],
    data: disputeDetail,
    message: 'Evidence saved',
    handle: draftEvidence,
  }),

  postOnce('/api/dispute/file', 'transaction_refund', 'Disputes', {
    operationId: 'addDisputeFile',
    summary: 'Add a file to the evidence',
    description:
      'The body is the file: a PDF, PNG, JPEG or TIFF of at most 10 MB (`app.dispute.file-max-bytes`). It is checked ' +
      'by its content against what the provider takes (type, bytes, pages of a PDF), and kept sealed. It takes the ' +
      'place of a file of the same name.',
    query: fileQuery,
    streamsBody: true,
    refuses: ['dispute_not_answerable', 'file_not_accepted'],
    data: fileRecord,
    message: 'File saved',
    handle: addFile,
  }),

  postOnce('/api/dispute/submit', 'transaction_refund', 'Disputes', {
    operationId: 'submitDisputeEvidence',
    summary: 'Submit the evidence',
    description:
      'Sends the draft to the provider, once a stage. The dispute is SUBMITTED when the provider has confirmed that ' +
      '(`dispute.updated`). If it refuses the evidence, the dispute stays OPEN with a `failureCode`, and can be ' +
      'submitted again.',
    events: 1,
    body: submitInput,
    refuses: ['dispute_not_answerable'],
    data: disputeDetail,
    message: 'Evidence is being submitted',
    handle: submitEvidence,
  }),

  postOnce('/api/dispute/accept', 'transaction_refund', 'Disputes', {
    summary: 'Accept a dispute',
    description:
      'Tells the provider that the dispute is not contested: the money stays with the payer. It cannot be undone. ' +
      'The dispute is ACCEPTED when the provider has confirmed that (`dispute.updated`).',
    events: 1,
    body: acceptInput,
    refuses: ['dispute_not_answerable'],
    data: disputeDetail,
    message: 'Dispute is being accepted',
    handle: acceptDispute,
  }),
];
