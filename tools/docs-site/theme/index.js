import theme from 'vitepress/theme-without-fonts';
import './style.css';

/** Whole pages come before sections of others, and guides before the reference, which has a section for every word. */
const boostDocument = (id, _term, { titles }) =>
  (titles.length === 0 ? 4 : 1) * (/\/reference\/(?!endpoints)/.test(id) ? 0.4 : 1);

export default {
  ...theme,
  enhanceApp(context) {
    theme.enhanceApp(context);
    // Not in the configuration: VitePress would make a function of text there, which the content policy forbids.
    const { searchOptions } = context.siteData.value.themeConfig.search.options.miniSearch;
    searchOptions.boostDocument = boostDocument;
  },
};
