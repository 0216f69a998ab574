// Small kindnesses for every page. All of them work without this file, a little less smoothly.
document.documentElement.classList.add("has-js");

// A form that may be sent once only: the button says so and stays quiet.
for (const form of document.querySelectorAll("form[data-once]")) {
  form.addEventListener("submit", () => {
    const button = form.querySelector("button[data-busy]");
    // After the browser has taken the form's data, or the button's own would be missing.
    setTimeout(() => {
      button.disabled = true;
      button.textContent = button.dataset.busy;
    });
  });
}

// A choice that is a question to the server: ask when it is made.
for (const form of document.querySelectorAll("form[data-send-on-change]")) {
  form.addEventListener("change", () => form.requestSubmit());
}

// Coming back with the "back" button shows the page as it was: ask the server how it is.
window.addEventListener("pageshow", (event) => {
  if (event.persisted) location.reload();
});
