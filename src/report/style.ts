/** The page's whole look: system fonts, one accent, two schemes, nothing fetched. */
export const style = `
:root{color-scheme:light dark;--ground:#fff;--raised:#f6f7f8;--text:#1b1f24;--quiet:#59636e;--line:#d9dee3;--accent:#0a58ca;--good:#12703c;--bad:#b3261e;--new:#e3f5e8;--gone:#fdeceb;--mono:ui-monospace,"SF Mono","Cascadia Mono",Menlo,Consolas,"DejaVu Sans Mono",monospace}
@media(prefers-color-scheme:dark){:root{--ground:#14171a;--raised:#1c2024;--text:#dfe3e7;--quiet:#98a2ad;--line:#333a41;--accent:#7cb0ff;--good:#6cc38d;--bad:#ff8f86;--new:#16301f;--gone:#3a1d1c}}
*{box-sizing:border-box}
html{-webkit-text-size-adjust:100%}
body{margin:0 auto;max-width:70rem;padding:2rem 1.5rem 4rem;background:var(--ground);color:var(--text);font:15px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans","DejaVu Sans",sans-serif;font-variant-numeric:tabular-nums}
h1,h2,h3,p,dl,ol,table,pre,article{margin:0}
h1{font-size:2.6rem;line-height:1.15;font-weight:650;letter-spacing:-.02em}
h2{font-size:1.1rem;font-weight:650;margin:2.5rem 0 .75rem;padding-top:.75rem;border-top:1px solid var(--line)}
h3{font-size:1rem;font-weight:500;margin:1rem 0 .35rem}
h3 b{font-weight:650}
p+p,dl+p,p+dl,.scroll+dl,dl+.scroll,p+.scroll{margin-top:.5rem}
a{color:var(--accent);text-decoration-thickness:1px;text-underline-offset:2px}
:focus-visible{outline:2px solid var(--accent);outline-offset:2px}
code,pre,.id{font-family:var(--mono);font-size:.85em}
.quiet,dt,caption,.range,.other{color:var(--quiet)}
.n{text-align:right;white-space:nowrap}
.hidden{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}
.problem{font-family:var(--mono);color:var(--quiet);margin-bottom:.25rem}
.interval,.times{font-size:1.15rem}
header .interval{color:var(--quiet)}
header dl{margin-top:1.25rem}
.gained h1{color:var(--good)}
.none h1{color:var(--bad)}
dl{display:grid;grid-template-columns:7.5rem minmax(0,1fr);gap:.15rem 1rem}
dd{margin:0;overflow-wrap:anywhere}
dd ol{padding-left:1.2rem}
.verdict{font-weight:600;white-space:nowrap}
.good{color:var(--good)}
.bad{color:var(--bad)}
.verdict.quiet{font-weight:400}
table{border-collapse:collapse;width:100%;font-size:.93em}
caption{text-align:left;padding-bottom:.6rem}
th{text-align:left;font-weight:500;color:var(--quiet)}
td,th{padding:.2rem .75rem .2rem 0;vertical-align:top;border-bottom:1px solid var(--line)}
th.n,td.n{padding:.2rem 0 .2rem .75rem}
td{overflow-wrap:break-word}
.scroll{overflow-x:auto}
.scroll td{min-width:3rem;max-width:26rem}
.chart{table-layout:auto}
.chart td,.chart tbody th{padding-top:0;padding-bottom:0;border:0;line-height:26px}
.chart thead th{border-bottom:1px solid var(--line)}
.chart tbody th{color:var(--text);font-weight:400;white-space:nowrap;overflow:hidden;text-overflow:ellipsis;max-width:19rem}
.chart .best th,.chart .best td{font-weight:650}
.chart .plot{width:50%;padding:0;line-height:0}
.chart svg{display:block;overflow:visible;min-width:6rem}
.chart .grid{stroke:var(--line)}
.chart line.floor{stroke:var(--text);stroke-dasharray:3 3}
.chart .interval{stroke:var(--quiet);stroke-width:2}
.chart circle{fill:var(--quiet)}
.chart .best .interval{stroke:var(--good);stroke-width:3}
.chart .best circle{fill:var(--good)}
.chart .reference circle{fill:var(--ground);stroke:var(--text);stroke-width:2}
.chart text{fill:var(--quiet);font-size:12px;text-anchor:middle}
.tree{list-style:none;padding:0}
.tree>li{border-left:2px solid var(--line);padding-left:1rem;margin-bottom:1.25rem}
.plan,.tree .quiet{font-size:.93em}
.plan{margin-bottom:.6rem}
.plan dl{margin-top:.35rem}
.chosen{font-weight:600}
summary{cursor:pointer}
.candidate{border-top:1px solid var(--line);font-size:.93em}
.candidate:last-of-type{border-bottom:1px solid var(--line)}
.candidate>summary{display:grid;grid-template-columns:3.2rem minmax(0,1fr) 8.5rem 5.5rem 10rem;gap:0 .75rem;padding:.25rem 0;list-style:none;align-items:baseline}
.candidate>summary::-webkit-details-marker{display:none}
.candidate>summary:hover,.file>summary:hover{background:var(--raised)}
.candidate>summary .id::before{content:"▸ ";color:var(--quiet)}
.candidate[open]>summary .id::before{content:"▾ "}
.candidate .reason{grid-column:2/-1;color:var(--quiet)}
.candidate+.quiet{margin-top:.4rem}
.candidate[open]{padding-bottom:.75rem}
.candidate[open]>:not(summary){margin-left:3.95rem}
.candidate .scroll,.candidate .file{margin-top:.5rem}
.winner>summary .title{font-weight:600}
.winner strong,.chart strong{color:var(--good)}
article+article{margin-top:.75rem}
article h3{margin-bottom:.1rem}
pre{background:var(--raised);border-radius:4px;padding:.6rem .8rem;overflow-x:auto;line-height:1.45;tab-size:4;margin-top:.35rem}
.file{margin-top:.35rem}
.file>summary{font-family:var(--mono);font-size:.85em;padding:.15rem 0}
.code{counter-reset:line}
.line::before{counter-increment:line;content:counter(line);display:inline-block;width:2.2rem;margin-right:1rem;text-align:right;color:var(--quiet);opacity:.7;user-select:none}
.code i,.diff i{font-style:normal;color:var(--l)}
@media(prefers-color-scheme:dark){.code i,.diff i{color:var(--d)}}
.diff{padding:.3rem 0}
.diff>span{display:inline-block;min-width:100%;padding:0 .8rem}
.diff b{display:inline-block;width:1.4rem;font-weight:400;color:var(--quiet);user-select:none}
.diff .new{background:var(--new)}
.diff .gone{background:var(--gone)}
.diff .gap{color:var(--quiet)}
footer{margin-top:3rem;padding-top:.75rem;border-top:1px solid var(--line);color:var(--quiet);font-size:.9em}
@media(max-width:44rem){
body{padding:1.25rem 1rem 3rem;font-size:14px}
h1{font-size:2rem}
dl{grid-template-columns:5.2rem minmax(0,1fr);gap:.15rem .6rem}
.chart .title{display:none}
.chart :is(.reference,.floor) .title{display:inline}
.chart tbody th{max-width:5.5rem}
.chart tbody th{padding-right:.4rem}
.chart .plot{width:100%}
.chart .interval-text,.chart .minor{display:none}
.candidate>summary{grid-template-columns:3.2rem minmax(0,1fr) auto auto;gap:0 .75rem}
.candidate>summary .title{grid-column:2/-1}
.candidate>summary .verdict{grid-column:2}
.candidate>summary .range{display:none}
.candidate[open]>:not(summary){margin-left:0}
}
@media print{
:root{color-scheme:light;--ground:#fff;--raised:#f6f7f8;--text:#000;--quiet:#444;--line:#ccc;--accent:#000;--good:#12703c;--bad:#b3261e;--new:#e3f5e8;--gone:#fdeceb}
body{max-width:none;padding:0;font-size:10pt}
.code i,.diff i{color:var(--l)}
pre{white-space:pre-wrap;overflow-wrap:anywhere;font-size:7.5pt}
.scroll{overflow:visible}
h2,h3{break-after:avoid}
.chart tr,.candidate>summary,article{break-inside:avoid}
details.print::details-content{content-visibility:visible;block-size:auto}
}
`;
