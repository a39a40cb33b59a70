package peer

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/bbgen/bbgen/runtime/host/disk"
	"github.com/bbgen/bbgen/runtime/host/peer/internal/state"
	"github.com/bbgen/bbgen/runtime/host/peer/trust"
	"github.com/bbgen/bbgen/runtime/wire"
)

// TestJoinWrong: an invitation that is not for this peer is refused at the start, with the reason; one that is gives the
// peer its rank and its issuer.
func TestJoinWrong(t *testing.T) {
	dir := t.TempDir()
	hasRun(t, dir)
	token, err := trust.MakeToken(dir, "client", 3, time.Now().Add(time.Hour), nil)
	if err != nil {
		t.Fatal(err)
	}
	join := func(class string, args ...string) (*host, error) {
		p := Program{Name: "test", Class: class, Classes: []string{"client", "server"}, Partition: emptyPartition, Transport: newQuietTransport}
		o, err := parse(&p, append([]string{"-log", "none"}, args...), io.Discard)
		if err != nil {
			t.Fatal(err)
		}
		h, err := newHost(&p, o, io.Discard, io.Discard)
		if err == nil {
			t.Cleanup(h.giveUp)
		}
		return h, err
	}
	cut := token.String()[:len(token.String())/2]
	for _, c := range []struct {
		class, args, want string
	}{
		{"server", "-join " + token.String(), "-join: the invitation is for a client, this is a server"},
		{"client", "-rank 4 -join " + token.String(), "-join: the invitation is for rank 3, -rank says 4"},
		{"client", "-join " + cut, "-join: "},
		{"client", "-join 192.0.2.1:4001", "the peer there could be any: use an invitation (see the command invite), or give -trust-first"},
		{"client", "-join somewhere", "-join: address \"somewhere\""},
		{"client", "-rank 3 -join " + token.String(), ""},
		{"client", "-join " + token.String(), ""},
	} {
		h, err := join(c.class, strings.Fields(c.args)...)
		if c.want != "" {
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s %s: got %v, want %s", c.class, c.args, err, c.want)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s %s: %v", c.class, c.args, err)
			continue
		}
		issuer := h.links[token.Issuer.ID]
		if h.config.Rank != 3 || issuer == nil || issuer.Class != "server" || len(issuer.proof) == 0 {
			t.Errorf("%s: rank %d, and its issuer is %+v", c.args, h.config.Rank, issuer)
		}
	}
}

// TestStateInUse: a second peer on a state directory does not start, and does no harm to the first one.
func TestStateInUse(t *testing.T) {
	dir := t.TempDir()
	h, err := newTestHost(t, Options{State: dir}, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := newTestHost(t, Options{State: dir}, io.Discard); err == nil || !strings.Contains(err.Error(), dir) {
		t.Errorf("a second peer: %v", err)
	}
	if _, err := h.disk.ReadFile(h.state.Path(state.KeyFile)); err != nil {
		t.Error(err)
	}
	h.giveUp()
	if _, err := newTestHost(t, Options{State: dir}, io.Discard); err != nil {
		t.Errorf("when the first has ended: %v", err)
	}
}

// TestStartsFail: a peer that cannot have what its flags name does not start, says which, and leaves nothing open.
func TestStartsFail(t *testing.T) {
	file := t.TempDir() + "/file"
	if err := disk.Write(disk.OS, file, 0o600, nil); err != nil {
		t.Fatal(err)
	}
	for want, o := range map[string]Options{
		"-out: ":                     {Out: file + "/values"},
		"-events: ":                  {Events: file + "/events"},
		file + ": not a directory":   {State: file},
		"-http: ":                    {HTTP: "192.0.2.1:1"},
		"address \"somewhere\"":      {Listen: []string{"somewhere"}},
		"-chaos: ":                   {Chaos: "rain"},
		"-kernels quantum":           {Kernels: "quantum"},
		"/file/key: not a directory": {Key: file + "/key"},
		"-accept zz":                 {Accept: "zz"},
		"there is no such folder":    {Data: file},
	} {
		var log strings.Builder
		if _, err := newTestHost(t, o, &log); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
		if strings.Contains(log.String(), "msg=started") {
			t.Errorf("%s: it has started", want)
		}
	}
}

// ranOn makes the state directory of a peer that has run.
func ranOn(t *testing.T, s *trust.Self) string {
	t.Helper()
	dir := t.TempDir()
	if err := state.Make(disk.OS, dir); err != nil {
		t.Fatal(err)
	}
	if err := trust.WriteSelf(disk.OS, dir, s); err != nil {
		t.Fatal(err)
	}
	return dir
}

// A peer keeps its rank, unless it is given another one.
func TestRankIsKept(t *testing.T) {
	key := filepath.Join(t.TempDir(), "key.pem")
	k, err := trust.NewKey(key)
	if err != nil {
		t.Fatal(err)
	}
	id := trust.IDOf(k)
	dir := ranOn(t, &trust.Self{Member: trust.Member{ID: id, Class: "x", Rank: 3}})
	rank := func(want int, p Program, o Options) {
		t.Helper()
		o.Key, o.State = key, dir
		h := &host{program: p, options: &o, disk: disk.OS, links: map[wire.PeerID]*link{}}
		h.Limits.Wire = wireLimits
		if err := h.identity(nil); err != nil || h.config.Rank != want {
			t.Errorf("rank %d, %v; want %d", h.config.Rank, err, want)
		}
	}
	rank(3, Program{Class: "x"}, Options{Rank: -1})
	rank(5, Program{Class: "x"}, Options{Rank: 5})
	rank(0, Program{Class: "y"}, Options{Rank: -1})
}

// TestOwnLine: the line of a list with the peer's own id gives its rank, and one of another class or rank is refused: all
// others would take the peer for that one.
func TestOwnLine(t *testing.T) {
	key := filepath.Join(t.TempDir(), "key.pem")
	k, err := trust.NewKey(key)
	if err != nil {
		t.Fatal(err)
	}
	id := trust.IDOf(k)
	for _, c := range []struct {
		class, listed string
		rank, want    int
		err           string
	}{
		{"x", "x", -1, 2, ""},
		{"x", "x", 2, 2, ""},
		{"x+y", "y+x", -1, 2, ""},
		{"x", "y", -1, 0, "the id of this peer's key, is a y there, and this is a x: give each peer a key of its own"},
		{"x", "x", 1, 0, "the id of this peer's key, has rank 2 there, and -rank says 1"},
	} {
		o := &Options{Rank: c.rank, Key: key, Peers: []trust.Member{{ID: testID(9), Class: "y"}, {ID: id, Class: c.listed, Rank: 2}}}
		h := &host{program: Program{Class: c.class}, options: o, disk: disk.OS, links: map[wire.PeerID]*link{}}
		h.Limits.Wire = wireLimits
		err := h.identity(nil)
		if c.err != "" && (err == nil || !strings.HasSuffix(err.Error(), c.err)) || c.err == "" && (err != nil || h.config.Rank != c.want) {
			t.Errorf("%+v: got rank %d, %v", c, h.config.Rank, err)
		}
	}
}

// A peer in the state directory of another program says whose it is.
func TestOtherProgram(t *testing.T) {
	key := filepath.Join(t.TempDir(), "key.pem")
	k, err := trust.NewKey(key)
	if err != nil {
		t.Fatal(err)
	}
	dir := ranOn(t, &trust.Self{Member: trust.Member{ID: trust.IDOf(k), Class: "client"}})
	b, err := state.Seal([]trust.Member{{ID: testID(7), Class: "thermometer"}})
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, state.MembersFile), b, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	h := &host{program: Program{Class: "client", Classes: []string{"client", "server"}}, options: &Options{Rank: -1, Key: key, State: dir}, disk: disk.OS, links: map[wire.PeerID]*link{}}
	h.Limits.Wire = wireLimits
	if err, want := h.identity(nil), "-state "+dir+" is that of another program: peer "; err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("got %v, want %s", err, want)
	}
}

// A peer in the state directory of another peer, or of another class, says so, when it cannot use the snapshot.
func TestOtherClass(t *testing.T) {
	dir := ranOn(t, &trust.Self{Member: trust.Member{ID: testID(1), Class: "x"}})
	for class, want := range map[string]string{"x": "", "y": ": " + dir + " holds the state of class x, and this peer is of class y"} {
		h := &host{program: Program{Class: class}, options: &Options{State: dir}, disk: disk.OS}
		h.config.Self = testID(1)
		if got := h.otherClass(); got != want {
			t.Errorf("a %s: %q, want %q", class, got, want)
		}
		h.config.Self = testID(2)
		if got, want := h.otherClass(), ": "+dir+" holds the state of a peer with another key: put that key back"; !strings.HasPrefix(got, want) {
			t.Errorf("with a new key: %q, want %q", got, want)
		}
	}
}

// A peer uses the data folder of its last run, unless it is given another one.
func TestDataIsKept(t *testing.T) {
	key := filepath.Join(t.TempDir(), "key.pem")
	k, err := trust.NewKey(key)
	if err != nil {
		t.Fatal(err)
	}
	data, other := t.TempDir(), t.TempDir()
	dir := ranOn(t, &trust.Self{Member: trust.Member{ID: trust.IDOf(k), Class: "x", Rank: 3}, Data: data})
	find := func(p Program, given string) (string, error) {
		h := &host{program: p, options: &Options{Key: key, State: dir, Rank: -1, Data: given}, disk: disk.OS, links: map[wire.PeerID]*link{}}
		h.Limits.Wire = wireLimits
		err := h.identity(nil)
		return h.options.Data, err
	}
	for _, tt := range []struct{ class, given, want string }{{"x", "", data}, {"x", other, other}, {"y", "", ""}} {
		if got, err := find(Program{Class: tt.class}, tt.given); err != nil || got != tt.want {
			t.Errorf("a %s with -data %q has its data in %q, %v; want %q", tt.class, tt.given, got, err, tt.want)
		}
	}
	if err := os.Remove(data); err != nil {
		t.Fatal(err)
	}
	want := "-data " + data + ": there is no such folder, which the state directory names: say where it is now"
	if _, err := find(Program{Class: "x"}, ""); err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}
