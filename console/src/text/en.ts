/** English, by which the keys of every language are checked. `.one` and `.other` are the forms for a number. */
export const en = {
  'common.tryAgain': 'Try again',
  'common.copy': 'Copy',
  'common.copied': 'Copied',

  'signIn.title': 'Sign in to Florin',
  'signIn.account': 'User name or e-mail',
  'signIn.password': 'Password',
  'signIn.showPassword': 'Show or hide the password',
  'signIn.submit': 'Sign in',
  'signIn.forgot': 'Forgot your password?',
  'signIn.codeTitle': 'Enter your code',
  'signIn.code': 'Code',
  'signIn.codeHint': 'The 6 digits of your authenticator app, or a recovery code.',
  'signIn.another': 'Sign in as another user',
  'signIn.cookieRefused':
    'The browser did not keep the session. Open the console at the public address of the service.',

  'forgot.hint': 'You will get a mail with a link to choose a new password.',
  'forgot.email': 'E-mail',
  'forgot.submit': 'Send the link',
  'forgot.sent': 'If the address is known, an e-mail is on its way.',
  'forgot.back': 'Back to sign in',

  'shell.skip': 'Skip to the content',
  'shell.menu': 'Menu',
  'shell.navigation': 'Main navigation',
  'shell.polling': 'Live updates interrupted',
  'shell.light': 'Light theme',
  'shell.dark': 'Dark theme',
  'shell.platform': 'Platform',
  'shell.signOut': 'Sign out',

  'nav.payments': 'Payments',

  'account.title': 'My account',
  'account.language': 'Language',

  'unknown.title': 'Page not found',
  'unknown.hint': 'There is nothing at this address.',
  'unknown.home': 'Go to the start page',

  'error.unreachable': 'The service cannot be reached.',
  'error.request': 'Request {id}',

  'paging.range': '{from}–{to} of {total}',
  'paging.previous': 'Previous',
  'paging.next': 'Next',

  'filters.from': 'From (UTC)',
  'filters.to': 'To (UTC)',
  'filters.any': 'Any',
  'filters.clear': 'Clear the filters',

  'status.ALL': 'All',
  'status.PENDING': 'Pending',
  'status.PROCESSING': 'Processing',
  'status.SUCCESS': 'Succeeded',
  'status.FAILED': 'Failed',
  'status.REFUNDED': 'Refunded',
  'status.CANCELLED': 'Cancelled',

  'home.title': 'Home',

  'payments.title': 'Payments',
  'payments.created': 'Created',
  'payments.status': 'Status',
  'payments.amount': 'Amount',
  'payments.channel': 'Channel',
  'payments.description': 'Description',
  'payments.noneMatch': 'No payment matches these filters',
  'payments.none': 'No payments yet',
  'payments.noneHint': 'Make a first one with a developer key:',

  'payment.title': 'Payment',
  'payment.timeline': 'Timeline',
  'payment.facts': 'Details',
  'payment.metadata': 'Metadata',
  'payment.refunded': 'Refunded',
  'payment.customer': 'Customer',
  'payment.failure': 'Failure',
  'payment.reference': 'Provider reference',
  'payment.updated': 'Updated',
} as const;
