package deploy

import (
	"archive/tar"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-containerregistry/pkg/registry"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/validate"

	"github.com/bbgen/bbgen/internal/golden"
)

// fleet returns a program with fake binaries.
func fleet() *Program {
	return &Program{Name: "fleet", Fingerprint: "0102", Classes: []Class{{Name: "client"}, {Name: "server"}}}
}

// binariesOf returns placeholders for the binaries of all classes.
func binariesOf(t *testing.T, p *Program, platforms ...Platform) []Binary {
	t.Helper()
	dir := t.TempDir()
	var all []Binary
	for i := range p.Classes {
		for _, at := range platforms {
			b := Binary{Class: &p.Classes[i], Platform: at, File: filepath.Join(dir, fmt.Sprint(i, at.name()))}
			if err := os.WriteFile(b.File, []byte(b.Class.Name+" for "+at.String()), 0o600); err != nil {
				t.Fatal(err)
			}
			if b.Class.Sidecar != "" {
				b.Weights = b.File + ".weights"
				if err := os.WriteFile(b.Weights, []byte("weights"), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			all = append(all, b)
		}
	}
	return all
}

var both = []Platform{{"linux", "amd64", ""}, {"linux", "arm", ""}}

func indexOf(t *testing.T, p *Program, class int) v1.ImageIndex {
	t.Helper()
	index, err := p.Index(&p.Classes[class], binariesOf(t, p, both...), "v1.2.0")
	if err != nil {
		t.Fatal(err)
	}
	return index
}

func digestOf(t *testing.T, index v1.ImageIndex) string {
	t.Helper()
	d, err := index.Digest()
	if err != nil {
		t.Fatal(err)
	}
	return d.String()
}

// TestImages shows what is in images: how their containers run, and their files.
func TestImages(t *testing.T) {
	golden.Run(t, "testdata/image_*.txtar", func(t *testing.T, a *golden.Archive) {
		p := fleet()
		if a.Has("model") {
			p = &Program{Name: "digits", Classes: []Class{{Serves: true, Sidecar: "weights.bin"}}}
		}
		index := indexOf(t, p, len(p.Classes)-1)
		if err := validate.Index(index); err != nil {
			t.Fatal(err)
		}
		m, err := index.IndexManifest()
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range m.Manifests {
			img, err := index.Image(d.Digest)
			if err != nil {
				t.Fatal(err)
			}
			config, err := img.ConfigFile()
			if err != nil {
				t.Fatal(err)
			}
			text, err := json.MarshalIndent(config, "", "  ")
			if err != nil {
				t.Fatal(err)
			}
			at := strings.ReplaceAll(d.Platform.String(), "/", "-")
			a.Check("out/"+at+".json", string(text))
			a.Check("out/"+at+".files", list(t, img))
		}
	})
}

// list returns the files of an image in the format of "tar tv", and the contents of small ones.
func list(t *testing.T, img v1.Image) string {
	t.Helper()
	layers, err := img.Layers()
	if err != nil || len(layers) != 1 {
		t.Fatalf("%d layers and %v, want 1", len(layers), err)
	}
	content, err := layers[0].Uncompressed()
	if err != nil {
		t.Fatal(err)
	}
	defer content.Close()
	var out strings.Builder
	for r := tar.NewReader(content); ; {
		h, err := r.Next()
		if err == io.EOF {
			return out.String()
		}
		if err != nil {
			t.Fatal(err)
		}
		b, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&out, "%s %d:%d %s %q at %d\n", h.FileInfo().Mode(), h.Uid, h.Gid, h.Name, b, h.ModTime.Unix())
	}
}

// TestSameDigest tests that the same program gives the same image on each build, and another program another
// one.
func TestSameDigest(t *testing.T) {
	one, two := digestOf(t, indexOf(t, fleet(), 0)), digestOf(t, indexOf(t, fleet(), 0))
	if one != two {
		t.Errorf("two builds give %s and %s, want the same digest", one, two)
	}
	if other := digestOf(t, indexOf(t, fleet(), 1)); other == one {
		t.Errorf("two classes have the same digest %s", one)
	}
	changed := fleet()
	changed.Fingerprint = "0103"
	if other := digestOf(t, indexOf(t, changed, 0)); other == one {
		t.Errorf("two programs have the same digest %s", one)
	}
}

// TestLayout checks written images with the library, as a folder and as an archive.
func TestLayout(t *testing.T) {
	index := indexOf(t, fleet(), 0)
	dir := filepath.Join(t.TempDir(), "layout")
	if err := writeLayout(dir, index, "v1.2.0"); err != nil {
		t.Fatal(err)
	}
	check := func(dir string) {
		t.Helper()
		read, err := layout.ImageIndexFromPath(dir)
		if err != nil {
			t.Fatal(err)
		}
		if err := validate.Index(read); err != nil {
			t.Error(err)
		}
		m, err := read.IndexManifest()
		if err != nil {
			t.Fatal(err)
		}
		if len(m.Manifests) != 1 || m.Manifests[0].Digest.String() != digestOf(t, index) || m.Manifests[0].Annotations[refName] != "v1.2.0" {
			t.Errorf("the layout has %+v, want %s called v1.2.0", m.Manifests, digestOf(t, index))
		}
	}
	check(dir)
	archives := make([][]byte, 2)
	for i := range archives {
		file := filepath.Join(t.TempDir(), "layout.tar")
		if err := writeArchive(file, dir); err != nil {
			t.Fatal(err)
		}
		archives[i], _ = os.ReadFile(file)
		unpacked := filepath.Join(t.TempDir(), "unpacked")
		unpack(t, file, unpacked)
		check(unpacked)
	}
	if string(archives[0]) != string(archives[1]) {
		t.Error("two archives of one layout differ")
	}
}

func unpack(t *testing.T, file, dir string) {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for r := tar.NewReader(f); ; {
		h, err := r.Next()
		if err == io.EOF {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		b, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		to := filepath.Join(dir, h.Name)
		if err := os.MkdirAll(filepath.Dir(to), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(to, b, 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// TestPush pushes an image to a registry and pulls it.
func TestPush(t *testing.T) {
	server := httptest.NewServer(registry.New(registry.Logger(log.New(io.Discard, "", 0))))
	defer server.Close()
	t.Setenv("DOCKER_CONFIG", t.TempDir()) // ignore the credentials of the user
	p := fleet()
	ref, err := p.reference(strings.TrimPrefix(server.URL, "http://")+"/team", &p.Classes[0], "v1.2.0")
	if err != nil {
		t.Fatal(err)
	}
	if want := "/team/fleet-client:v1.2.0"; !strings.HasSuffix(ref.Name(), want) {
		t.Errorf("the image is called %s, want …%s", ref.Name(), want)
	}
	index := indexOf(t, p, 0)
	if err := push(t.Context(), ref, index); err != nil {
		t.Fatal(err)
	}
	pulled, err := remote.Index(ref)
	if err != nil {
		t.Fatal(err)
	}
	if err := validate.Index(pulled); err != nil {
		t.Error(err)
	}
	if got, want := digestOf(t, pulled), digestOf(t, index); got != want {
		t.Errorf("pulled %s, want %s", got, want)
	}
	server.Close()
	if err := push(t.Context(), ref, index); err == nil || !strings.Contains(err.Error(), "docker login") {
		t.Errorf("got %v, want an error that says what to do", err)
	}
}

// TestImageErrors tests that impossible images are refused.
func TestImageErrors(t *testing.T) {
	p := fleet()
	windows := binariesOf(t, p, Platform{"windows", "amd64", ""})
	if _, err := p.Index(&p.Classes[0], windows, ""); err == nil || !strings.Contains(err.Error(), "want linux") {
		t.Errorf("got %v, want that images are for linux", err)
	}
	if _, err := p.reference("Not A Registry", &p.Classes[0], ""); err == nil || !strings.Contains(err.Error(), "want HOST") {
		t.Errorf("got %v, want that this is no registry", err)
	}
	for version, ok := range map[string]bool{
		"": true, "v1.2.0": true, "_A-z.9": true, strings.Repeat("x", 128): true,
		"a b": false, "-x": false, ".x": false, "v1/2": false, "ü": false, strings.Repeat("x", 129): false,
	} {
		if err := CheckVersion(version); (err == nil) != ok {
			t.Errorf("version %q: got %v", version, err)
		}
	}
}
