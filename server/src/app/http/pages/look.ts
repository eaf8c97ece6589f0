import { style } from '../../../domains/billing/checkouts/pages/style.ts';

/** The style of Florin's own pages: that of payers' pages, in the colour of the console. */
export const florinStyle = style('#087f5b').text;

const drawing =
  '<rect width="32" height="32" rx="8" fill="#087f5b"/><path d="M12.5 25V9.5a2.5 2.5 0 0 1 2.5-2.5h7M9 15.5h10.5" ' +
  'fill="none" stroke="#fff" stroke-width="3.2" stroke-linecap="round"/>';

/** Above the title of such a page. */
export const florinMark =
  '<p class="seller"><svg width="36" height="36" viewBox="0 0 32 32" aria-hidden="true">' +
  `${drawing}</svg>Florin</p>`;

/** The mark by itself, for the tab of a browser. */
export const florinIcon = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">${drawing}</svg>`;

/** The style of labelled fields, which payers' pages do not have. */
export const fieldStyle = `label, input, select { display: block; width: 100%; font: inherit; }
input, select { margin: 0.25rem 0 1rem; padding: 0.625rem 0.75rem; color: inherit; background: var(--card);
  border: 1px solid var(--line); border-radius: 8px; }
[hidden] { display: none; }
`;
