/** The path of the public address, which the service writes into the page; a development server has none. */
const given = import.meta.env.DEV ? '' : (document.getElementById('console')?.dataset.basePath ?? '');

/**
 * What every path of the service begins with here: `/florin`, or empty. A node that is opened without its proxy has
 * none.
 */
export const basePath = `${location.pathname}/`.startsWith(`${given}/`) ? given : '';
