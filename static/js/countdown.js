// Counts a lease down by the server's clock, whatever this device thinks the time is.
const timer = document.querySelector("[data-countdown]");

if (timer) {
  const { expiresAt, serverNow, minutesLeft, secondsLeft, over } = timer.dataset;
  const left = timer.querySelector("[data-countdown-left]");
  const said = timer.querySelector("[data-countdown-said]");
  // performance.now() goes on when somebody sets the device's clock.
  const end = performance.now() + (Date.parse(expiresAt) - Date.parse(serverNow));
  const announcements = [[30, secondsLeft], [120, minutesLeft]];

  const show = () => {
    const seconds = Math.max(0, Math.ceil((end - performance.now()) / 1000));
    left.textContent = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
    const due = announcements.find(([limit]) => seconds <= limit);
    if (seconds > 0 && due && said.textContent !== due[1]) said.textContent = due[1];
    if (seconds > 0) return;
    clearInterval(ticking);
    said.textContent = over;
    for (const note of document.querySelectorAll("[data-over-note]")) note.hidden = false;
    for (const part of document.querySelectorAll("[data-needs-time]")) part.hidden = true;
  };

  const ticking = setInterval(show, 250);
  show();
}
