package deploy

import (
	"bytes"
	"crypto/ed25519"
	"encoding/json"
	"io"
	"log"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"

	cdx "github.com/CycloneDX/cyclonedx-go"
	"github.com/google/go-containerregistry/pkg/registry"
)

// here is Linux on this machine's processor, for which Go's standard library is built already.
var here = []Platform{{"linux", runtime.GOARCH, ""}}

func quiet(string, ...any) {}

// tiny is a program with two empty classes, which is built quickly.
func tiny(t *testing.T) *Program {
	t.Helper()
	main := "package main\n\nfunc main() { println(\"hello\") }\n"
	dir := write(t, map[string]string{"go.mod": "module example.org/tiny\n\ngo 1.26\n", "a/main.go": main, "b/main.go": main})
	return &Program{Name: "tiny", Fingerprint: "01", Classes: []Class{{Name: "a", Dir: filepath.Join(dir, "a")}, {Name: "b", Dir: filepath.Join(dir, "b")}}}
}

func newKey(seed byte) ed25519.PrivateKey {
	return ed25519.NewKeyFromSeed(bytes.Repeat([]byte{seed}, ed25519.SeedSize))
}

// releaseOf makes a signed release of a program and returns its folder.
func releaseOf(t *testing.T, p *Program, out string) string {
	t.Helper()
	o := &Options{Out: out, Platforms: here, Release: true, OCI: true, Key: newKey(1), Progress: quiet}
	if _, err := p.Run(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	return filepath.Join(out, releaseDir)
}

// TestRelease tests that two builds in different folders have the same bytes, and that the report lists all
// files.
func TestRelease(t *testing.T) {
	outs := []string{filepath.Join(t.TempDir(), "one"), filepath.Join(t.TempDir(), "another", "two")}
	var files [2][]string
	for i, out := range outs {
		releaseOf(t, tiny(t), out)
		var err error
		if files[i], err = filesIn(out); err != nil {
			t.Fatal(err)
		}
	}
	if a, b := strings.Join(files[0], "\n"), strings.Join(files[1], "\n"); a != b {
		t.Fatalf("the files are\n%s\nand\n%s", a, b)
	}
	for _, name := range files[0] {
		a, _ := os.ReadFile(filepath.Join(outs[0], name))
		b, _ := os.ReadFile(filepath.Join(outs[1], name))
		if !bytes.Equal(a, b) {
			t.Errorf("%s differs between two builds", name)
		}
	}
	var r Report
	b, err := os.ReadFile(filepath.Join(outs[0], ReportFile))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b, &r); err != nil {
		t.Fatal(err)
	}
	if got, want := len(r.Files)+1, len(files[0]); got != want || len(r.Images) != 2 {
		t.Errorf("the report lists %d files and %d images, there are %d and 2", got, len(r.Images), want)
	}
}

// TestOut tests that a run replaces only the files of an earlier run.
func TestOut(t *testing.T) {
	p, out := tiny(t), filepath.Join(t.TempDir(), "out")
	releaseOf(t, p, out)
	notes := filepath.Join(out, "release", "NOTES")
	if err := os.WriteFile(notes, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	p.Classes = p.Classes[:1]
	o := &Options{Out: out, Platforms: here, Release: true, Progress: quiet}
	if _, err := p.Run(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	files, err := filesIn(out)
	want := "deploy.json release/NOTES release/SHA256SUMS release/tiny-a-linux-" + runtime.GOARCH + " release/tiny-a-linux-" + runtime.GOARCH + ".cdx.json"
	if got := strings.Join(files, " "); err != nil || got != want {
		t.Errorf("there are %s, want %s", got, want)
	}
	foreign := write(t, map[string]string{"diary.txt": "dear"})
	o.Out = foreign
	if _, err := p.Run(t.Context(), o); err == nil || !strings.Contains(err.Error(), "want a new or empty folder") {
		t.Errorf("got %v, want that a folder with other files is left alone", err)
	}
	escaping := write(t, map[string]string{"victim": "", "out/deploy.json": `{"files":["../victim"]}`})
	o.Out = filepath.Join(escaping, "out")
	if _, err := p.Run(t.Context(), o); err == nil {
		t.Error("a list with a path outside of the folder is accepted")
	}
	if _, err := os.Stat(filepath.Join(escaping, "victim")); err != nil {
		t.Error("a file outside of the folder was removed")
	}
}

// TestRunPushes tests that a run pushes an image for each class, and that its manifests name these images.
func TestRunPushes(t *testing.T) {
	server := httptest.NewServer(registry.New(registry.Logger(log.New(io.Discard, "", 0))))
	defer server.Close()
	t.Setenv("DOCKER_CONFIG", t.TempDir()) // ignore the credentials of the user
	p, at, out := tiny(t), strings.TrimPrefix(server.URL, "http://"), filepath.Join(t.TempDir(), "out")
	fleet, err := p.NewFleet(nil, nil, at)
	if err != nil {
		t.Fatal(err)
	}
	r, err := p.Run(t.Context(), &Options{Out: out, Platforms: here, Push: at, Compose: true, Fleet: fleet, Progress: quiet})
	if err != nil {
		t.Fatal(err)
	}
	compose, err := os.ReadFile(filepath.Join(out, "compose", "compose.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"tiny-a", "tiny-b"} {
		if got := r.Images[i]; got.Pushed != at+"/"+want+":latest" || !strings.Contains(string(compose), at+"/"+want+"@"+got.Digest) {
			t.Errorf("%s was pushed as %s with %s, and is so in the manifest: %s", want, got.Pushed, got.Digest, compose)
		}
	}
}

// TestVerify tests that each change of a release is detected.
func TestVerify(t *testing.T) {
	dir := releaseOf(t, tiny(t), filepath.Join(t.TempDir(), "out"))
	key, err := ReadPublicKey(filepath.Join(dir, PublicKeyFile))
	if err != nil {
		t.Fatal(err)
	}
	if n, err := Verify(dir, key); n != 4 || err != nil {
		t.Fatalf("verified %d files, and %v; want 4", n, err)
	}
	other := newKey(2).Public().(ed25519.PublicKey)
	if _, err := Verify(dir, other); err == nil || !strings.Contains(err.Error(), "do not run these files") {
		t.Errorf("another key: got %v", err)
	}
	binary := "tiny-a-linux-" + runtime.GOARCH
	for _, c := range []struct {
		name, file, text, want string // the file is removed where the text is ""
	}{
		{"changed", binary, "evil", "was changed or damaged"},
		{"missing", binary, "", binary + " is missing"},
		{"added", "extra", "evil", "extra is not in SHA256SUMS"},
		{"other sums", SumsFile, strings.Repeat("0", 64) + "  " + binary + "\n", "the signature is not of this key"},
		{"no signature", SignatureFile, "", "the release is not signed"},
		{"no sums", SumsFile, "", "want the folder of a release"},
	} {
		t.Run(c.name, func(t *testing.T) {
			name := filepath.Join(dir, c.file)
			before, err := os.ReadFile(name)
			was := err == nil
			if c.text == "" {
				err = os.Remove(name)
			} else {
				err = os.WriteFile(name, []byte(c.text), 0o666)
			}
			if err != nil {
				t.Fatal(err)
			}
			if _, err := Verify(dir, key); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %s", err, c.want)
			}
			os.Remove(name)
			if was {
				os.WriteFile(name, before, 0o666)
			}
		})
	}
	for _, list := range []string{"", "\n", "x", strings.Repeat("0", 64) + "  ../../etc/passwd\n", strings.Repeat("0", maxSums+1)} {
		if _, err := checkSums(dir, []byte(list)); err == nil {
			t.Errorf("the list %.80q is accepted", list)
		}
	}
}

// TestVerifyNothing: a list that names no file shows nothing, also over an empty folder, and also if somebody has signed it.
func TestVerifyNothing(t *testing.T) {
	dir, key := t.TempDir(), newKey(1)
	if err := os.WriteFile(filepath.Join(dir, SumsFile), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := sign(dir, key); err != nil {
		t.Fatal(err)
	}
	for name, k := range map[string]ed25519.PublicKey{"unsigned": nil, "signed": key.Public().(ed25519.PublicKey)} {
		if n, err := Verify(dir, k); n != 0 || err == nil || !strings.Contains(err.Error(), "lists no file") {
			t.Errorf("%s: verified %d files, and %v", name, n, err)
		}
	}
}

// TestOpenSSL verifies a signature with OpenSSL.
func TestOpenSSL(t *testing.T) {
	openssl, err := exec.LookPath("openssl")
	if err != nil {
		t.Skip("there is no openssl (Debian: openssl)")
	}
	dir := write(t, map[string]string{SumsFile: "sums"})
	if err := sign(dir, newKey(1)); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(openssl, "pkeyutl", "-verify", "-pubin", "-inkey", PublicKeyFile, "-rawin", "-in", SumsFile, "-sigfile", SignatureFile)
	cmd.Dir = dir
	if b, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v: %v\n%s", cmd, err, b)
	}
}

// TestSBOM reads the list of the modules in this test's own binary.
func TestSBOM(t *testing.T) {
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	p := fleet()
	p.Classes[0].Sidecar = "weights.bin"
	b := Binary{Class: &p.Classes[0], Platform: both[0], File: exe, Weights: filepath.Join(write(t, map[string]string{"w": "weights"}), "w")}
	text, err := p.SBOM(&b, "v1.2.0")
	if err != nil {
		t.Fatal(err)
	}
	again, err := p.SBOM(&b, "v1.2.0")
	if err != nil || !bytes.Equal(text, again) {
		t.Errorf("two lists of one binary differ, or %v", err)
	}
	var bom cdx.BOM
	if err := cdx.NewBOMDecoder(bytes.NewReader(text), cdx.BOMFileFormatJSON).Decode(&bom); err != nil {
		t.Fatal(err)
	}
	refs := map[string]cdx.ComponentType{}
	for _, c := range *bom.Components {
		refs[c.BOMRef] = c.Type
	}
	if len(refs) != len(*bom.Components) || refs["weights"] != cdx.ComponentTypeMachineLearningModel {
		t.Errorf("the parts are %v, want the weights among %d", refs, len(*bom.Components))
	}
	if main := bom.Metadata.Component; main.Name != "fleet-client" || main.Version != "v1.2.0" || len((*main.Hashes)[0].Value) != 64 {
		t.Errorf("the binary is listed as %+v", main)
	}
	for _, d := range *(*bom.Dependencies)[0].Dependencies {
		if refs[d] == "" {
			t.Errorf("the binary depends on %s, which is no part", d)
		}
	}
	b.File = b.Weights
	if _, err := p.SBOM(&b, ""); err == nil {
		t.Error("a file that is no binary has a list")
	}
}

// TestLibraries shows the names of modules: replaced ones have the name of their replacement, if that has a
// version.
func TestLibraries(t *testing.T) {
	info := &debug.BuildInfo{GoVersion: "go1.26.1", Main: debug.Module{Path: "example.org/Fleet", Version: "(devel)"}, Deps: []*debug.Module{
		{Path: "example.org/a", Version: "v1.0.0", Sum: "h1:x="},
		{Path: "example.org/b", Version: "v1.0.0", Replace: &debug.Module{Path: "../b"}},
		{Path: "example.org/c", Version: "v1.0.0", Replace: &debug.Module{Path: "example.org/d", Version: "v2.0.0+incompatible"}},
	}}
	var got []string
	for _, c := range libraries(info) {
		got = append(got, c.PackageURL)
	}
	want := "pkg:golang/std@1.26.1 pkg:golang/example.org/Fleet pkg:golang/example.org/a@v1.0.0 pkg:golang/example.org/b@v1.0.0 pkg:golang/example.org/d@v2.0.0%2Bincompatible"
	if strings.Join(got, " ") != want {
		t.Errorf("got  %s\nwant %s", strings.Join(got, " "), want)
	}
}
