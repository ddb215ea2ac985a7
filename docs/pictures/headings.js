// Returns the headings, the heads of tables and the titles of figures that a page shows. page.sh and a browser test read this file.
const headings = () => {
  const all = [...document.querySelectorAll("h2, thead th, figure > strong, [role=tab]")].filter((one) => one.offsetParent !== null);
  return [...new Set(all.map((one) => one.textContent.trim()).filter((text) => text && text.length < 60))];
};
