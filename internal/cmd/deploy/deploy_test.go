package deploy

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/bbgen/bbgen/internal/cmd/cmdtest"
	"github.com/bbgen/bbgen/runtime/host/peer"
)

// TestMain is also the go command of the tests.
func TestMain(m *testing.M) {
	cmdtest.Main(m, func(string, []string) int { return 0 })
}

// program returns the peers of an example.
func program(t *testing.T) string {
	t.Helper()
	dir, err := filepath.Abs("../../../examples/quickstart/peer")
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// TestRelease makes a signed release, which verifies with the key; a file that is changed afterwards does not.
func TestRelease(t *testing.T) {
	dir := program(t)
	t.Chdir(t.TempDir())
	calls := cmdtest.Toolchain(t, "")
	if _, err := peer.NewKey("key.pem"); err != nil {
		t.Fatal(err)
	}
	out, _, err := cmdtest.Run(t, Command(), dir, "-o", "dist", "--target", "linux/amd64,linux/arm/v7", "--sign", "key.pem", "--version", "v1.2.0", "--json")
	if err != nil {
		t.Fatal(err)
	}
	var report struct{ Files []json.RawMessage }
	if err := json.Unmarshal([]byte(out), &report); err != nil || len(report.Files) == 0 {
		t.Errorf("the report is %s, %v", out, err)
	}
	builds := strings.Join(calls(), "\n")
	if n := strings.Count(builds, "build "); n < 4 {
		t.Errorf("the go command was called\n%s\nwant a build of each class for each target", builds)
	}
	key := filepath.Join("dist", "release", "SHA256SUMS.pub")
	for want, args := range map[string][]string{
		"which the owner of " + key + " has signed": {"--key", key},
		"its signature was not checked: give --key": nil,
		`"signed":true`: {"--key", key, "--json"},
	} {
		out, _, err := cmdtest.Run(t, Command(), append(args, "verify", filepath.Join("dist", "release"))...)
		if err != nil || !strings.Contains(out, want) {
			t.Errorf("%q: got %q, %v, want %q", args, out, err, want)
		}
	}
	sums := filepath.Join("dist", "release", "SHA256SUMS")
	b, err := os.ReadFile(sums)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(sums, append(b, '\n'), 0o666); err != nil {
		t.Fatal(err)
	}
	cmdtest.Refuse(t, Command,
		cmdtest.Refusal{Args: []string{"verify", filepath.Join("dist", "release"), "--key", key}, Want: "the signature is not of this key and these checksums"},
		cmdtest.Refusal{Args: []string{"verify", filepath.Join("dist", "release"), "--key", "none.pub"}, Want: "--key: "},
		cmdtest.Refusal{Args: []string{"verify", "none"}, Want: "none"},
	)
}

// TestManifests writes the manifests of all systems, with so many peers of each class, and images as folders.
func TestManifests(t *testing.T) {
	dir := program(t)
	t.Chdir(t.TempDir())
	cmdtest.Toolchain(t, "")
	out, _, err := cmdtest.Run(t, Command(), dir, "-o", "dist", "--systemd", "--compose", "--k8s", "--nomad", "--oci", "--target", "linux/amd64", "--registry", "registry.example.org/q")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(out, "image ") || !strings.Contains(out, "wrote ") {
		t.Errorf("it prints %q", out)
	}
	list, err := os.ReadDir("dist")
	if err != nil || len(list) < 5 {
		t.Errorf("the folder holds %v, %v, want images and four kinds of manifests", list, err)
	}
}

// TestRefuses shows command lines that are refused before anything is built.
func TestRefuses(t *testing.T) {
	dir := program(t)
	t.Chdir(t.TempDir())
	calls := cmdtest.Toolchain(t, "")
	usage := func(want string, args ...string) cmdtest.Refusal {
		return cmdtest.Refusal{Args: append(args, dir), Want: want, Usage: true}
	}
	cmdtest.Refuse(t, Command,
		usage("where to? give -o OUT"),
		usage("--target: ", "-o", "dist", "--target", "amiga"),
		usage("--version: ", "-o", "dist", "--version", "one two"),
		usage(`--oci is "tar", want folder or archive`, "-o", "dist", "--oci=tar"),
		usage("are for manifests: add --systemd", "-o", "dist", "--registry", "x"),
		usage("--sign signs the checksums of binaries", "-o", "dist", "--oci", "--sign", "key.pem"),
		cmdtest.Refusal{Args: []string{dir, "-o", "dist", "--sign", "none.pem"}, Want: "--sign: "},
		cmdtest.Refusal{Args: []string{dir, "-o", "dist", "--systemd", "--invitations", "none"}, Want: "--invitations: "},
		cmdtest.Refusal{Args: []string{"none", "-o", "dist"}, Want: "there is no such folder"},
	)
	if list := calls(); len(list) != 1 || list[0] != "" {
		t.Errorf("the go command was called %q", list)
	}
}
