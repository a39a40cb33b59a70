package peer

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/bbgen/bbgen/internal/golden"
	"github.com/bbgen/bbgen/internal/handmade"
	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/host/disk"
	"github.com/bbgen/bbgen/runtime/host/peer/internal/state"
	"github.com/bbgen/bbgen/runtime/host/peer/trust"
	"github.com/bbgen/bbgen/runtime/wire"
)

// TestCommandNames: the help lists all commands, and each can be run.
func TestCommandNames(t *testing.T) {
	var names []string
	for _, c := range commandNames {
		names = append(names, c.name)
	}
	slices.Sort(names)
	if have := slices.Sorted(maps.Keys(commands)); !slices.Equal(names, have) {
		t.Errorf("the help lists %v, and there are %v", names, have)
	}
}

// TestCommands runs the commands of a section run, one a line, in a folder DIR of their own, and shows what they print
// and their exit codes. A line "ran DIR/state" makes the state directory one of a peer that has run, and "write FILE
// TEXT" writes a file. Peer ids and invitations, which are new each time, are ID and TOKEN, and
// the binary is PEER.
func TestCommands(t *testing.T) {
	golden.Run(t, "testdata/commands/*.txtar", func(t *testing.T, a *golden.Archive) {
		dir := t.TempDir()
		var all strings.Builder
		for line := range strings.Lines(a.Get("run")) {
			fmt.Fprintf(&all, "$ %s", line)
			args := strings.Fields(strings.ReplaceAll(line, "DIR", dir))
			switch args[0] {
			case "ran":
				hasRun(t, args[1])
			case "write":
				if err := os.WriteFile(args[1], []byte(strings.Join(args[2:], " ")), 0o644); err != nil {
					t.Fatal(err)
				}
			default:
				p := Program{Name: "test", Class: "client", Classes: []string{"client", "server"}, Partition: emptyPartition, Transport: noTransport}
				if code := Do(t.Context(), p, args, &all, &all); code != 0 {
					fmt.Fprintf(&all, "exit code %d\n", code)
				}
			}
		}
		text := strings.ReplaceAll(all.String(), dir, "DIR")
		a.Check("out", anonymous(strings.ReplaceAll(text, filepath.Base(os.Args[0]), "PEER")))
	})
}

var (
	anyID    = regexp.MustCompile(`12D3KooW\w{44}`)
	anyToken = regexp.MustCompile(`bbgen-join-[\w-]+`)
)

// anonymous replaces what is new each time.
func anonymous(text string) string {
	return anyToken.ReplaceAllString(anyID.ReplaceAllString(text, "ID"), "TOKEN")
}

// hasRun makes a state directory that of a server that listened.
func hasRun(t *testing.T, dir string) {
	t.Helper()
	if err := state.Make(disk.OS, dir); err != nil {
		t.Fatal(err)
	}
	key, err := trust.LoadKey(filepath.Join(dir, state.KeyFile))
	if err == nil {
		err = trust.WriteSelf(disk.OS, dir, &trust.Self{Member: trust.Member{ID: trust.IDOf(key), Class: "server", Addresses: []wire.Address{"/ip4/192.0.2.1/tcp/4001"}}})
	}
	if err != nil {
		t.Fatal(err)
	}
}

// TestInviteSays shows that an invitation holds what the command line says, and what is the default.
func TestInviteSays(t *testing.T) {
	for _, c := range []struct {
		args  string
		class string
		rank  int
		at    wire.Address
	}{
		{"-class client", "client", 0, "/ip4/192.0.2.1/tcp/4001"},
		{"-class client -rank 7", "client", 7, "/ip4/192.0.2.1/tcp/4001"},
		{"-class server+client -address 198.51.100.1:5", "client+server", 1, "/ip4/198.51.100.1/tcp/5"},
	} {
		var out, errs strings.Builder
		dir := t.TempDir()
		hasRun(t, dir)
		code := Do(t.Context(), Program{Name: "test", Class: "server"}, append(strings.Fields("invite -state "+dir), strings.Fields(c.args)...), &out, &errs)
		token, err := ParseToken(out.String(), &wireLimits)
		if code != 0 || err != nil {
			t.Errorf("%s: exit code %d, %v: %s", c.args, code, err, &errs)
			continue
		}
		if token.Class != c.class || token.Rank != c.rank || len(token.Issuer.Addresses) != 1 || token.Issuer.Addresses[0] != c.at {
			t.Errorf("%s: the invitation is %+v, want %+v", c.args, token, c)
		}
	}
}

// brokenPipe is a standard output that nobody reads.
type brokenPipe struct{}

func (brokenPipe) Write([]byte) (int, error) { return 0, errors.New("broken pipe") }

// TestCommandsUnread: a command whose output cannot be written fails: a script must not go on without it.
func TestCommandsUnread(t *testing.T) {
	dir := t.TempDir()
	hasRun(t, dir)
	for _, args := range []string{"keygen -key " + filepath.Join(dir, "other.pem"), "id -state " + dir, "invite -class client -state " + dir, "version"} {
		var errs strings.Builder
		p := Program{Name: "test", Class: "client", Partition: emptyPartition}
		if code := Do(t.Context(), p, strings.Fields(args), brokenPipe{}, &errs); code != 1 || !strings.Contains(errs.String(), "broken pipe") {
			t.Errorf("%s: exit code %d: %s", args, code, &errs)
		}
	}
}

// TestHosts: -host chooses one of the networks that the peer was generated with.
func TestHosts(t *testing.T) {
	two := Hosts{"tcp": newQuietTransport, "nats": noTransport}
	for _, c := range []struct {
		hosts Hosts
		host  string
		want  string
	}{
		{nil, "", ""},
		{nil, "tcp", "-host tcp: this peer was generated with one network alone"},
		{two, "tcp", ""},
		{two, "nats", "there is no network"},
		{two, "udp", "-host udp: this peer was generated with nats, tcp"},
	} {
		p := Program{Name: "test", Class: "x", Partition: emptyPartition, Transport: newQuietTransport, Hosts: c.hosts}
		x, err := Start(t.Context(), p, "-log", "none", "-host", c.host)
		if err == nil {
			x.Close()
		}
		if got := fmt.Sprint(err); c.want == "" && err != nil || c.want != "" && got != c.want {
			t.Errorf("-host %s: got %v, want %q", c.host, err, c.want)
		}
	}
}

// TestSaid: each line that a program prints is one line of -events, also if it comes in pieces.
func TestSaid(t *testing.T) {
	var b strings.Builder
	w := SaidWriter(&b, "client-3")
	for _, piece := range []string{"one\ntw", "o", "\n\nthr", "ee"} {
		if n, err := w.Write([]byte(piece)); n != len(piece) || err != nil {
			t.Fatalf("%q: %d, %v", piece, n, err)
		}
	}
	var got []string
	for text := range strings.Lines(b.String()) {
		var l Line
		if err := json.Unmarshal([]byte(text), &l); err != nil || l.Kind != Said || l.Peer != "client-3" || l.Time.IsZero() {
			t.Errorf("%s: %v", text, err)
		}
		got = append(got, l.Name)
	}
	if strings.Join(got, "|") != "one|two|" {
		t.Errorf("the lines are %q, want one, two and an empty one; the last is not complete", got)
	}
	if n, err := SaidWriter(brokenPipe{}, "x").Write([]byte("lost\n")); n != 0 || err == nil {
		t.Errorf("a line that cannot be written: %d, %v", n, err)
	}
}

// TestInputs shows the mistakes with -in, and what is asked for.
func TestInputs(t *testing.T) {
	ping := func(runtime.Env) (*runtime.Partition, error) { return handmade.Ping(1), nil }
	for args, want := range map[string]string{
		"-in x":                    "-in x: want NAME=FILE",
		"-in y=file":               "there are: x of ping",
		"-in x=nowhere":            "nowhere",
		"-in x=a.npy -state DIR/s": "-in does not go with -state",
	} {
		var errs strings.Builder
		p := Program{Name: "test", Class: "ping", Partition: ping, Transport: newQuietTransport}
		code := Do(t.Context(), p, strings.Fields("-log none "+strings.ReplaceAll(args, "DIR", t.TempDir())), &strings.Builder{}, &errs)
		if code == 0 || !strings.Contains(errs.String(), want) {
			t.Errorf("%s: exit code %d: %s, want %s", args, code, &errs, want)
		}
	}
}

// A peer that reports why it ends does end even if the report has no reader.
func TestLastWords(t *testing.T) {
	t.Parallel() // it waits a few seconds
	_, w := io.Pipe()
	if code := Do(t.Context(), Program{Name: "p"}, []string{"-nonsense"}, io.Discard, w); code != 2 {
		t.Errorf("the code is %d, want 2", code)
	}
}
