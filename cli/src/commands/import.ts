import type { AddCommands, Cli } from '../cli.ts';
import type { StripeImportOptions } from '../import/stripe.ts';

export const addImport: AddCommands = (program, run) => {
  program
    .command('import')
    .description('take customers over from elsewhere')
    .command('stripe')
    .description('take over customers, payment methods and subscriptions from export files of Stripe')
    .requiredOption('--channel <id>', 'the channel of the same account at Stripe')
    .option('--customers <file>', 'customers: CSV of the Dashboard, or JSON lines of the API')
    .option('--methods <file>', 'payment methods: JSON lines of the API')
    .option('--subscriptions <file>', 'subscriptions: CSV of the Dashboard')
    .option(
      '--plan <price=id>',
      'the plan here for a Plan in the file of subscriptions; may be repeated',
      (word: string, all: string[]) => [...all, word],
      [],
    )
    .option('--apply', 'write; without it, only what would be made and what is refused is printed')
    .addHelpText('after', '\nThe guide docs/guides/moving-from-stripe.md says how to get the files.\n')
    .action(
      run(async (cli: Cli, options: StripeImportOptions) => {
        const { importFromStripe } = await import('../import/stripe.ts');
        await importFromStripe(cli, options);
      }),
    );
};
