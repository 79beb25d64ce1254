#!/bin/sh
# The browser tests use Chromium's headless shell, which needs a third less processor time than Chromium with its
# windows, or else any Chromium. If there is none, install one with apt where possible.
has() { command -v "$1" >/dev/null 2>&1; }
install() { apt-get install -y -qq --no-install-recommends "$1" >/dev/null 2>&1; }

has chromium-headless-shell && exit 0
if has apt-get && [ "$(id -u)" = 0 ]; then
    echo "Installing Chromium for the browser tests"
    install chromium-headless-shell || { apt-get update -qq && install chromium-headless-shell; } && exit 0
    has chromium || install chromium && exit 0
fi
has chromium || has chromium-browser || has google-chrome && exit 0
echo "Chromium is missing and cannot be installed here: the browser tests will be SKIPPED."
exit 0
