# The formula of a release; deploy/homebrew/fill.sh fills in the version and checksums.
class Maskproxy < Formula
  desc "Masking proxy between LLM clients and their providers"
  homepage "https://github.invalid/maskproxy/maskproxy"
  version "@VERSION@"
  license any_of: ["MIT", "Apache-2.0"]

  on_macos do
    on_arm do
      url "https://github.invalid/maskproxy/maskproxy/releases/download/v@VERSION@/maskproxy-@VERSION@-aarch64-apple-darwin.tar.gz"
      sha256 "@aarch64-apple-darwin@"
    end
    on_intel do
      url "https://github.invalid/maskproxy/maskproxy/releases/download/v@VERSION@/maskproxy-@VERSION@-x86_64-apple-darwin.tar.gz"
      sha256 "@x86_64-apple-darwin@"
    end
  end

  on_linux do
    on_arm do
      url "https://github.invalid/maskproxy/maskproxy/releases/download/v@VERSION@/maskproxy-@VERSION@-aarch64-unknown-linux-gnu.tar.gz"
      sha256 "@aarch64-unknown-linux-gnu@"
    end
    on_intel do
      url "https://github.invalid/maskproxy/maskproxy/releases/download/v@VERSION@/maskproxy-@VERSION@-x86_64-unknown-linux-gnu.tar.gz"
      sha256 "@x86_64-unknown-linux-gnu@"
    end
  end

  def install
    bin.install "maskproxy"
    man1.install Dir["man/*.1.gz"]
    man5.install Dir["man/*.5.gz"]
    bash_completion.install "completions/maskproxy.bash" => "maskproxy"
    zsh_completion.install "completions/_maskproxy"
    fish_completion.install "completions/maskproxy.fish"
  end

  service do
    run [opt_bin/"maskproxy", "proxy", "-c", etc/"maskproxy.yaml"]
    keep_alive true
    working_dir var/"maskproxy"
  end

  test do
    assert_match "MASK_EMAIL_1", shell_output("#{bin}/maskproxy detect --transform 'to alice@example.com'")
  end
end
