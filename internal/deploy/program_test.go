package deploy

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestFind finds the generated programs of this repository.
func TestFind(t *testing.T) {
	for _, c := range []struct {
		dir, name string
		units     []string
	}{
		{"../../examples/quickstart/peer", "quickstart", []string{"quickstart-station", "quickstart-thermometer"}},
		{"../../examples/fedavg/peer", "fedavg", []string{"fedavg-client", "fedavg-server"}},
		{"../../examples/digits/model", "digits", []string{"digits"}},
	} {
		p, err := Find(c.dir)
		if err != nil {
			t.Error(err)
			continue
		}
		var units []string
		for i := range p.Classes {
			units = append(units, p.Unit(&p.Classes[i]))
		}
		if p.Name != c.name || !slices.Equal(units, c.units) {
			t.Errorf("%s: found %s with %v, want %s with %v", c.dir, p.Name, units, c.name, c.units)
		}
		if want := 64; !p.IsModel() && len(p.Fingerprint) != want {
			t.Errorf("%s: the fingerprint %q has %d digits, want %d", c.dir, p.Fingerprint, len(p.Fingerprint), want)
		}
	}
}

const peerMain = `package main

import (
	"example.org/peer/CLASS/partition"
	"github.com/bbgen/bbgen/runtime/host/peer"
)

func main() { peer.Main(peer.Program{Name: "NAME", Class: "CLASS", Fingerprint: []byte(partition.Fingerprint)}) }
`

// write writes files below a new folder.
func write(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		name = filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func peerOf(name, class string) string {
	return strings.NewReplacer("NAME", name, "CLASS", class).Replace(peerMain)
}

// TestFindNothing tests that an error says what was found, and what was wanted.
func TestFindNothing(t *testing.T) {
	fingerprint := "package partition\n\nconst Fingerprint = \"\\x01\\x02\"\n"
	for _, c := range []struct {
		files map[string]string
		want  string
	}{
		{nil, "found no program of bbgen's, want CLASS/main.go, main.go or cmd/NAME/main.go"},
		{map[string]string{"a/main.go": "package main\n\nfunc main() {}\n"}, "found no program of bbgen's"},
		{map[string]string{"a/main.go": "nonsense"}, "expected 'package'"},
		{map[string]string{"a/main.go": peerOf("p", "a")}, "partition.bb.go: no such file or directory: generate the program again"},
		{map[string]string{"a/main.go": peerOf("", "a")}, "found no peer.Program with a Name and a Class"},
		{map[string]string{
			"a/main.go": peerOf("p", "a"), "a/partition/partition.bb.go": fingerprint,
			"b/main.go": peerOf("q", "b"), "b/partition/partition.bb.go": fingerprint,
		}, `a peer of the program "q" stands beside the program "p"`},
		{map[string]string{
			"a/main.go": peerOf("p", "a"), "a/partition/partition.bb.go": fingerprint,
			"b/main.go": peerOf("p", "b"), "b/partition/partition.bb.go": strings.ReplaceAll(fingerprint, "02", "03"),
		}, "class b has another fingerprint than class a"},
		{map[string]string{
			"a/main.go": peerOf("p", "a_b"), "a_b/partition/partition.bb.go": fingerprint,
			"b/main.go": peerOf("p", "a+b"), "a+b/partition/partition.bb.go": fingerprint,
		}, "are both called p-a-b where they are deployed"},
	} {
		if _, err := Find(write(t, c.files)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("got %v, want %s", err, c.want)
		}
	}
	if _, err := Find("sub/nowhere"); err == nil || !strings.HasPrefix(err.Error(), "sub/nowhere: there is no such folder") {
		t.Errorf("got %v, want that there is no such folder, by the name that was given", err)
	}
}

func TestSlug(t *testing.T) {
	for name, want := range map[string]string{"fleet-Server": "fleet-server", "a_b": "a-b", "client+server": "client-server", "--x--": "x", "große_1": "gro-e-1", "": ""} {
		if got := slug(name); got != want {
			t.Errorf("%q: got %q, want %q", name, got, want)
		}
	}
}
