/** The texts of the sign-in page, which are loaded first and so must stay few. */
export const signIn = {
  'common.tryAgain': 'Erneut versuchen',
  'signIn.title': 'Bei Florin anmelden',
  'signIn.ended': 'Ihre Sitzung ist beendet. Melden Sie sich an, um zu dieser Seite zurückzukehren.',
  'signIn.account': 'Benutzername oder E-Mail',
  'signIn.password': 'Passwort',
  'signIn.showPassword': 'Passwort zeigen oder verbergen',
  'signIn.submit': 'Anmelden',
  'signIn.forgot': 'Passwort vergessen?',
  'signIn.codeTitle': 'Code eingeben',
  'signIn.code': 'Code',
  'signIn.codeHint': 'Die 6 Ziffern Ihrer Authenticator-App oder ein Wiederherstellungscode.',
  'signIn.another': 'Als anderer Benutzer anmelden',
  'signIn.cookieRefused':
    'Der Browser hat die Sitzung nicht behalten. Öffnen Sie die Konsole unter der öffentlichen Adresse des Dienstes.',
  'forgot.hint': 'Sie erhalten eine E-Mail mit einem Link, um ein neues Passwort zu wählen.',
  'forgot.email': 'E-Mail',
  'forgot.submit': 'Link senden',
  'forgot.sent': 'Falls die Adresse bekannt ist, ist eine E-Mail unterwegs.',
  'forgot.back': 'Zurück zur Anmeldung',
  'error.unreachable': 'Der Dienst ist nicht erreichbar.',
  'error.request': 'Anfrage {id}',
  'passkey.use': 'Passkey verwenden',
  'passkey.wrongHost':
    'Passkeys funktionieren nur unter der öffentlichen Adresse des Dienstes. Öffnen Sie die Konsole dort.',
};
