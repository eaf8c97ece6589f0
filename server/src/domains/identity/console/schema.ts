import { Type } from 'typebox';
import { logoutInput } from '../sessions/schema.ts';
import { currentUser } from '../users/schema.ts';

export { loginInput as signInInput } from '../sessions/schema.ts';
export const signOutInput = logoutInput;

export const profile = Type.Object(
  {
    ...currentUser.properties,
    tenantName: Type.Union([Type.String(), Type.Null()], { description: "null: the platform's own tenant." }),
    holdsAll: Type.Boolean({ description: 'Whether the user holds every permission, as administrators do.' }),
    mustEnrol: Type.Boolean({ description: 'true: nothing can be done before a second factor is enrolled.' }),
    deploymentMode: Type.String({ description: 'STANDALONE or CLUSTER.' }),
    sandboxEnabled: Type.Boolean({ description: 'Whether channels may name the sandbox.' }),
    publicUrl: Type.String({ description: 'How browsers and providers reach the service: `app.public-url`.' }),
  },
  { $id: 'ConsoleProfile' },
);
