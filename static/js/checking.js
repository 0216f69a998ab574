// Asks every few seconds how the payment went and moves on when the page would say something else.
const wait = 1000;

async function ask() {
  try {
    const answer = await fetch(location.href, { headers: { Accept: "text/html" }, cache: "no-store" });
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    if (answer.redirected || (answer.ok && !page.querySelector("[data-checking]"))) {
      location.replace(answer.url);
      return;
    }
  } catch {
    // No connection just now: the next question may get through.
  }
  setTimeout(ask, wait);
}

setTimeout(ask, wait);
