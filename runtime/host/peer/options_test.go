package peer

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/bbgen/bbgen/runtime/host/disk"
	"github.com/bbgen/bbgen/runtime/host/live"
	"github.com/bbgen/bbgen/runtime/host/peer/trust"
	"github.com/bbgen/bbgen/runtime/limits"
	"github.com/bbgen/bbgen/runtime/wire"
)

func TestOptions(t *testing.T) {
	file := filepath.Join(t.TempDir(), "config.json")
	config := `{"listen":["a"],"rank":2,"seed":7,"await":{"client":3},"peers":[{"id":"` + testID(2).String() + `","class":"client","rank":1}],"program":{"lr":0.1}}`
	if err := os.WriteFile(file, []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	o, err := parse(&Program{}, []string{"-rank", "5", "-config=" + file, "-listen", "b", "-listen", "c", "-await", "server=1"}, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	want := &Options{Listen: []string{"b", "c"}, Rank: 5, Seed: 7, Await: map[string]int{"client": 3, "server": 1},
		Peers: []trust.Member{{ID: testID(2), Class: "client", Rank: 1}}, Program: []byte(`{"lr":0.1}`)}
	if !reflect.DeepEqual(o, want) {
		t.Errorf("got  %+v\nwant %+v", o, want)
	}
	os.WriteFile(file, []byte(`{"rank":-7}`), 0o600)
	if _, err := parse(&Program{}, []string{"-config", file}, io.Discard); err == nil || err.Error() != "the rank is -7, want 0 or more" {
		t.Errorf("a negative rank in the file: %v", err)
	}
	os.WriteFile(file, []byte(`{"lisen":["a"]}`), 0o600)
	for args, want := range map[string]string{
		"-config " + file:     "lisen",
		"-config nowhere":     "nowhere",
		"-await client":       "CLASS=N",
		"-await client=-1":    "CLASS=N",
		"-no-such-flag":       "no-such-flag",
		"argument":            "argument",
		"-peers /dev/null":    "/dev/null",
		"-peers nowhere":      "nowhere: no such file",
		"-listen a -rank one": "rank",
		"-rank -2":            "want 0 or more",
	} {
		if _, err := parse(&Program{}, strings.Fields(args), io.Discard); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %s", args, err, want)
		}
	}
}

// Mistakes on the command line exit with 2, and name what is wrong.
func TestUsage(t *testing.T) {
	for args, want := range map[string]string{
		"nonsense":                               "no command",
		"keygen":                                 "-key FILE",
		"id":                                     "-key FILE",
		"invite -class client":                   "-state DIR",
		"-host nats":                             "one network alone",
		"-log xml":                               "-log xml",
		"-otlp localhost:4318":                   "-otlp: \"localhost:4318\": want a URL such as http://localhost:4318",
		"-log-level loud":                        "-log-level",
		"-kernels quantum":                       "this machine has",
		"-accept xyz":                            "-accept",
		"-grace soon":                            "-grace",
		"-patience -1s":                          "-patience",
		"-listen somewhere":                      "somewhere",
		"doctor -rank one":                       "rank",
		"keygen -key a b":                        "unexpected",
		"-await client=1 extra":                  "unexpected",
		"-state s invite":                        "unexpected argument \"invite\": a command stands before its flags",
		"-await cleint=1":                        `-await cleint: the program has no class "cleint"; it has client, server`,
		"invite -state s -class client -valid 0": "valid for a time above 0",
		"invite -state s -class client -rank -5": "the rank is -5",
		"invite -state s -class client+sever":    `the program has no class "sever"; it has client, server`,
	} {
		var errs strings.Builder
		p := Program{Name: "x", Classes: []string{"client", "server"}, Partition: emptyPartition, Transport: noTransport}
		if code := Do(context.Background(), p, strings.Fields(args), io.Discard, &errs); code != 2 || !strings.Contains(errs.String(), want) {
			t.Errorf("%s: exit code %d, %s; want 2 and %s", args, code, &errs, want)
		}
	}
	var out strings.Builder
	for args, want := range map[string]string{"-h": "compiled by bbgen", "invite -h": "usage: invite ", "doctor -h": "usage: doctor "} {
		out.Reset()
		code := Do(context.Background(), Program{Name: "x"}, strings.Fields(args), &out, io.Discard)
		if code != 0 || !strings.Contains(out.String(), "-state") || !strings.Contains(out.String(), want) {
			t.Errorf("%v: exit code %d, want a help of its own, with %s: %s", args, code, want, &out)
		}
	}
}

// TestFiles shows the errors for wrong files and folders.
func TestFiles(t *testing.T) {
	dir := t.TempDir()
	file := func(name, text string) string {
		name = filepath.Join(dir, name)
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return name
	}
	config := file("config.json", `{"listen": "x"}`)
	peers := file("peers.json", `{"id": 3}`)
	other := file("other.json", fmt.Sprintf(`[{"id": %q, "class": "sever"}]`, testID(2)))
	for _, c := range []struct{ flag, file, want string }{
		{"-config", config, config + ": field listen at byte 14: got string, want a list"},
		{"-peers", peers, peers + ": want a list of peers, each with id, class, rank and addresses: at byte 1: got object, want a list"},
		{"-config", file("await.json", `{"await": {"client": -5}}`), "-await client: -5 peers, want 0 or more"},
		{"-peers", other, `-peers: peer ` + testID(2).String() + `: the program has no class "sever"; it has client, server`},
		{"-data", filepath.Join(dir, "none"), "none: there is no such folder"},
		{"-data", config, "config.json: there is no such folder"},
	} {
		var errs strings.Builder
		p := Program{Name: "x", Classes: []string{"client", "server"}, Partition: emptyPartition, Transport: noTransport}
		if code := Do(context.Background(), p, []string{c.flag, c.file, "-log", "none"}, io.Discard, &errs); code == 0 || !strings.Contains(errs.String(), c.want) {
			t.Errorf("%s %s: exit code %d\ngot  %s\nwant %s", c.flag, c.file, code, &errs, c.want)
		}
	}
}

// The doctor knows the listen addresses of a peer with a state directory.
func TestDoctorListens(t *testing.T) {
	d := &examination{w: io.Discard}
	h := &host{options: &Options{State: t.TempDir()}, disk: disk.OS}
	if d.listens(h) {
		t.Error("a peer that never ran can be dialed")
	}
	if err := trust.WriteSelf(disk.OS, h.options.State, &trust.Self{Member: trust.Member{ID: testID(1), Class: "x", Addresses: []wire.Address{"/ip4/192.0.2.1/tcp/1"}}}); err != nil {
		t.Fatal(err)
	}
	if !d.listens(h) {
		t.Error("a peer that listened cannot be dialed")
	}
}

// A missing key can be made.
func TestNoKey(t *testing.T) {
	_, err := (&Options{Key: "nowhere"}).key()
	if err == nil || !strings.Contains(err.Error(), "nowhere: no such file or directory; the command keygen makes one") {
		t.Errorf("got %v", err)
	}
}

// A misspelled flag of a command is answered with the intended one, like a flag of the peer.
func TestCommandSuggests(t *testing.T) {
	for _, name := range []string{"invite", "keygen", "id"} {
		var errs strings.Builder
		code := Do(t.Context(), Program{Name: "x", Class: "x"}, []string{name, "-stat", "s"}, io.Discard, &errs)
		if want := "x: there is no flag -stat; did you mean -state?\n"; code != 2 || errs.String() != want {
			t.Errorf("%s: exit code %d: %swant %s", name, code, &errs, want)
		}
	}
}

// -http with only a port is an address of this machine.
func TestPagesAddress(t *testing.T) {
	for s, want := range map[string]string{":80": "127.0.0.1:80", "80": "127.0.0.1:80", "0.0.0.0:80": "0.0.0.0:80", "[::]:80": "[::]:80"} {
		if got := live.Address(s); got != want {
			t.Errorf("-http %s is %s, want %s", s, got, want)
		}
	}
}

// FuzzConfig gives a peer a configuration file.
func FuzzConfig(f *testing.F) {
	f.Add([]byte(`{"listen":["127.0.0.1:0"],"rank":3,"await":{"client":2},"patience":"1s","program":{"a":1}}`))
	f.Add([]byte(`{"peers":[{"id":"12D3KooW9pNAk8aiBuGVQtWRdbkLmo5qVL3e2h5UxbN2Nz9ttwiw","class":"a"}],"accept":"zz","log":"loud"}`))
	file := filepath.Join(f.TempDir(), "config.json")
	f.Fuzz(func(t *testing.T, b []byte) {
		if err := os.WriteFile(file, b, 0o600); err != nil {
			t.Fatal(err)
		}
		o := &Options{}
		if err := o.readConfig(file); err != nil {
			return
		}
		if d, grace, err := o.times(); err == nil && (d.Hello <= 0 || d.Stall <= 0 || grace <= 0) {
			t.Errorf("%s: times %+v", b, d)
		}
		o.fingerprint()
		lim := limits.Edge()
		if list, err := trust.ParseAddresses(o.Listen, &lim.Wire); err == nil {
			for _, a := range list {
				if _, err := wire.ParseAddress(a, &lim.Wire); err != nil {
					t.Errorf("%s: %v", b, err)
				}
			}
		}
		trust.NewMembers(testID(1), o.Peers, disk.OS, "", &lim.Wire)
		if text, err := json.Marshal(o); err != nil && len(o.Program) == 0 {
			t.Errorf("%s: %v", text, err)
		}
	})
}
