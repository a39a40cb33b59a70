package deploy

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/bbgen/bbgen/internal/golden"
	"github.com/bbgen/bbgen/runtime/host/peer"
	"github.com/bbgen/bbgen/runtime/wire"
)

// tokenFor returns an invitation of fleet-server-0, the same in each run.
func tokenFor(class string, rank int) string {
	t := peer.Token{
		Issuer: peer.Member{ID: peer.IDOf(newKey(1)), Class: "server", Addresses: []wire.Address{"/dns/server.example.org/tcp/4002"}},
		Class:  class, Rank: rank, Expires: time.Unix(1e9, 0).UTC(), Secret: bytes.Repeat([]byte{byte(rank)}, 16),
	}
	return t.String()
}

// served returns a program of one model.
func served() *Program { return &Program{Name: "digits", Classes: []Class{{Serves: true}}} }

// fleetOf returns three clients and a server; one client is invited.
func fleetOf(t *testing.T, p *Program, registry string) *Fleet {
	t.Helper()
	var counts map[string]int
	var tokens []string
	if !p.IsModel() {
		counts, tokens = map[string]int{"client": 3}, []string{tokenFor("client", 1)}
	}
	f, err := p.NewFleet(counts, tokens, registry)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// manifestsOf returns all manifests of a kind.
func manifestsOf(t *testing.T, p *Program, registry string, write func([]unit) ([]manifest, error)) []manifest {
	t.Helper()
	o := &Options{Version: "v1.2.0", Fleet: fleetOf(t, p, registry)}
	all, err := p.units(o, []Image{{Name: "fleet-client", Digest: "sha256:" + strings.Repeat("0", 64)}})
	if err != nil {
		t.Fatal(err)
	}
	files, err := write(all)
	if err != nil {
		t.Fatal(err)
	}
	return files
}

var kinds = map[string]func([]unit) ([]manifest, error){"systemd": systemd, "compose": compose, "k8s": kubernetes, "nomad": nomad}

// TestManifests shows all manifests.
func TestManifests(t *testing.T) {
	golden.Run(t, "testdata/manifest_*.txtar", func(t *testing.T, a *golden.Archive) {
		for kind, write := range kinds {
			if !a.Has(kind) {
				continue
			}
			p, registry := fleet(), strings.TrimSpace(a.Get(kind))
			if a.Has("model") {
				p = served()
			}
			for _, f := range manifestsOf(t, p, registry, write) {
				a.Check("out/"+f.path, f.text)
			}
		}
	})
}

// TestSecrets tests that files with an invitation are only readable by their owner, or in a folder that is.
func TestSecrets(t *testing.T) {
	found := 0
	for kind, write := range kinds {
		for _, f := range manifestsOf(t, fleet(), "", write) {
			if !strings.Contains(f.text, "bbgen-join-") {
				continue
			}
			found++
			if f.mode != secret && filepath.Dir(f.path) != closedDir {
				t.Errorf("%s: %s has an invitation, and mode %o", kind, f.path, f.mode)
			}
		}
	}
	if found != 3 {
		t.Errorf("%d files have an invitation, want 3", found)
	}
	out := filepath.Join(t.TempDir(), "out")
	if _, err := fleet().Run(t.Context(), &Options{Out: out, Compose: true, Fleet: fleetOf(t, fleet(), "")}); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(filepath.Join(out, closedDir))
	if err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("%s has mode %v, and %v; want 0700", closedDir, info.Mode(), err)
	}
}

// TestMistakesFirst tests that errors in the options are reported before anything is built or pushed.
func TestMistakesFirst(t *testing.T) {
	unserved, unnamed := served(), served()
	unserved.Classes[0].Serves = false
	unnamed.Name = "1"
	for want, c := range map[string]struct {
		p *Program
		o Options
	}{
		"generate it with --serve": {unserved, Options{OCI: true, Systemd: true}},
		"no name for Kubernetes":   {unnamed, Options{Release: true, Kubernetes: true}},
		"is no registry":           {served(), Options{Push: "Registry with blanks"}},
		`"../../x" is no registry`: {served(), Options{Push: "../../x"}},
		`"r.io//x" is no registry`: {served(), Options{Push: "r.io//x"}},
	} {
		c.o.Out, c.o.Fleet, c.o.Platforms = filepath.Join(t.TempDir(), "out"), fleetOf(t, c.p, ""), here
		c.o.Progress = func(format string, args ...any) { t.Errorf("%s: after "+format, append([]any{want}, args...)...) }
		if _, err := c.p.Run(t.Context(), &c.o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}

// TestConfigurations decodes the configurations with the type of peers.
func TestConfigurations(t *testing.T) {
	f := fleetOf(t, fleet(), "")
	for _, c := range []struct {
		o    *options
		rank int
		join []string
	}{
		{f.containerConfig("client", 1), 1, []string{tokenFor("client", 1)}},
		{f.containerConfig("client", 2), 2, nil},
		{machineConfig(), -1, nil},
	} {
		o := peer.Options{Rank: -1}
		d := json.NewDecoder(strings.NewReader(c.o.text()))
		d.DisallowUnknownFields()
		if err := d.Decode(&o); err != nil {
			t.Error(err)
		}
		if o.Rank != c.rank || !slices.Equal(o.Join, c.join) || len(o.Listen) != 1 || o.HTTP == "" {
			t.Errorf("%s: read as %+v", c.o.text(), o)
		}
	}
}

// TestFleetErrors tests that an error says what was found, and what was wanted.
func TestFleetErrors(t *testing.T) {
	for _, c := range []struct {
		counts map[string]int
		tokens []string
		want   string
	}{
		{map[string]int{"clint": 2}, nil, `has no class "clint"; it has client, server`},
		{map[string]int{"client": 1025}, nil, "want at most 1024"},
		{nil, []string{"x"}, "invitation 1: not an invitation"},
		{nil, []string{tokenFor("worker", 0)}, "invitation 1: it is for a worker, the program has client, server"},
		{nil, []string{tokenFor("client", 4)}, "it is for client-4, of which there are 1: say --peers client=5"},
		{nil, []string{tokenFor("client", 0), tokenFor("client", 0)}, "invitation 2: it is for client-0, and so is another one"},
	} {
		if _, err := fleet().NewFleet(c.counts, c.tokens, ""); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("got %v, want %s", err, c.want)
		}
	}
	if _, err := served().NewFleet(nil, []string{tokenFor("client", 0)}, ""); err == nil || !strings.Contains(err.Error(), "has no other peers") {
		t.Errorf("got %v, want that a model has no other peers", err)
	}
	if f, err := served().NewFleet(map[string]int{"digits": 3}, nil, ""); err != nil || f.Counts["digits"] != 3 {
		t.Errorf("got %v and %v, want three copies of the model", f, err)
	}
	mute := &Program{Name: "digits", Classes: []Class{{Dir: "digits"}}}
	if _, err := mute.units(&Options{Fleet: &Fleet{}}, nil); err == nil || !strings.Contains(err.Error(), "generate it with --serve") {
		t.Errorf("got %v, want that the model does not serve", err)
	}
	for _, name := range []string{"1st", strings.Repeat("long", 12)} {
		p := &Program{Name: name, Classes: []Class{{Name: "server"}}}
		all, err := p.units(&Options{Fleet: &Fleet{}}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := kubernetes(all); err == nil || !strings.Contains(err.Error(), "is no name for Kubernetes") {
			t.Errorf("%s: got %v, want that the name does not fit", name, err)
		}
	}
	if _, err := ReadInvitations(strings.NewReader(strings.Repeat("x", 9<<20))); err == nil {
		t.Error("nine megabytes of invitations are accepted")
	}
}

// TestSystemd checks units with systemd, also for missing restrictions.
func TestSystemd(t *testing.T) {
	analyze, err := exec.LookPath("systemd-analyze")
	if err != nil {
		t.Skip("there is no systemd-analyze (Debian: systemd)")
	}
	dir := t.TempDir()
	for _, p := range []*Program{fleet(), served()} {
		for _, f := range manifestsOf(t, p, "", systemd) {
			if filepath.Ext(f.path) != ".service" {
				continue
			}
			name := strings.TrimSuffix(filepath.Base(f.path), ".service")
			file := filepath.Join(dir, name+".service")
			text := strings.ReplaceAll(f.text, "/usr/local/bin/"+name+" ", "/bin/true ") // verify needs a program that exists
			if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
			if b, err := exec.Command(analyze, "verify", "--man=no", file).CombinedOutput(); err != nil || len(b) > 0 {
				t.Errorf("%s: %v\n%s", name, err, b)
			}
			const exposed = "20" // of 100
			if b, err := exec.Command(analyze, "security", "--offline=yes", "--threshold="+exposed, file).CombinedOutput(); err != nil {
				t.Errorf("%s: %v\n%s", name, err, b)
			}
		}
	}
}
