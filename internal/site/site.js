// On a narrow screen the menu opens at a click, and wide tables have a bar of their own.
const button = document.getElementById('menu');
button.addEventListener('click', () => {
  const open = button.parentElement.classList.toggle('open');
  button.setAttribute('aria-expanded', String(open));
});
for (const table of document.querySelectorAll('main table')) {
  const box = document.createElement('div');
  box.className = 'table';
  box.tabIndex = 0;
  table.replaceWith(box);
  box.append(table);
}
