package peer

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bbgen/bbgen/internal/handmade"
	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/cpu"
	"github.com/bbgen/bbgen/runtime/host/disk"
	"github.com/bbgen/bbgen/runtime/host/peer/internal/connection"
	"github.com/bbgen/bbgen/runtime/host/peer/internal/state"
	"github.com/bbgen/bbgen/runtime/host/peer/trust"
	"github.com/bbgen/bbgen/runtime/wire"
)

// examine runs the doctor of a ping in the network, and returns what it prints.
func (n *lan) examine(t *testing.T, members []trust.Member, args ...string) (out string, err error) {
	t.Helper()
	part := handmade.Ping(1)
	p := Program{Name: "test", Class: "ping", Fingerprint: part.Fingerprint, Transport: n.transport,
		Partition: func(runtime.Env) (*runtime.Partition, error) { return part, nil }}
	if members != nil {
		args = append(args, "-peers", writeMembers(t, members))
	}
	var b strings.Builder
	err = doctor(t.Context(), &p, args, &b, &strings.Builder{})
	return b.String(), err
}

// writeMembers writes a file for -peers.
func writeMembers(t *testing.T, list []trust.Member) string {
	t.Helper()
	var texts []string
	for _, m := range list {
		var at []string
		for _, a := range m.Addresses {
			at = append(at, fmt.Sprintf("%q", a))
		}
		texts = append(texts, fmt.Sprintf(`{"id": %q, "class": %q, "rank": %d, "addresses": [%s]}`, m.ID, m.Class, m.Rank, strings.Join(at, ", ")))
	}
	file := filepath.Join(t.TempDir(), "peers.json")
	if err := os.WriteFile(file, []byte("["+strings.Join(texts, ",\n")+"]"), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// TestDoctorAsks shows what the doctor says of other peers: whether they would admit this one, what is wrong if not,
// and what to do.
func TestDoctorAsks(t *testing.T) {
	level := cpu.CurrentLevel().String()
	ok := func(*wire.Hello) {}
	for name, c := range map[string]struct {
		says func(*wire.Hello) // nil: nothing
		want []string
		bad  int
	}{
		"well": {ok, []string{"ok    pong-0 answers within", "ok    the clock of pong-0 is this one's"}, 0},
		"another clock": {func(h *wire.Hello) { h.Unix = uint64(time.Now().Add(-time.Hour).UnixNano()) },
			[]string{"WRONG the clock of pong-0 is -1h0m0s off", "set it, on both machines, by NTP"}, 1},
		"other kernels": {func(h *wire.Hello) { h.KernelLevel = "abacus" },
			[]string{"note  pong-0 computes with abacus kernels, this peer with " + level}, 0},
		"not admitted": {func(h *wire.Hello) { h.Refusal = runtime.ErrUnknownPeer.Error() },
			[]string{"WRONG pong-0 at", "there, run: invite -state DIR -class ping, and use what it prints with -join here"}, 1},
		"another program": {func(h *wire.Hello) { h.Refusal = runtime.ErrProgram.Error() }, []string{"build both from the same program"}, 1},
		"another class":   {func(h *wire.Hello) { h.Refusal = runtime.ErrClass.Error() }, []string{"it was admitted as something else"}, 1},
		"silent":          {nil, []string{"WRONG pong-0 at", "no hello"}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				n := newLAN()
				key, _ := newKeyFile(t, "ping", 0)
				_, pong := newKeyFile(t, "pong", 0, lanAddress(1))
				s := n.newStranger(t, pong.ID, "pong", handmade.Pong(), lanAddress(1))
				s.serve(func(in *conversationWith) {
					asked := in.hearHello(t)
					if asked.Incarnation != 0 {
						t.Error("the doctor takes the place of the peer")
					}
					if c.says != nil {
						hello := s.hello
						hello.Unix = uint64(time.Now().UnixNano())
						c.says(&hello)
						in.say(wire.AppendHello(nil, &hello))
					}
				})
				out, err := n.examine(t, []trust.Member{pong}, "-key", key)
				for _, want := range c.want {
					if !strings.Contains(out, want) {
						t.Errorf("it says\n%s\nwant %s", out, want)
					}
				}
				if got := strings.Count(out, "WRONG"); got != c.bad || (err != nil) != (c.bad > 0) {
					t.Errorf("it finds %d problems, %v; want %d:\n%s", got, err, c.bad, out)
				}
			})
		})
	}
}

// TestDoctorAlone shows what the doctor says of peers that it cannot ask, and of a peer with nobody to talk to.
func TestDoctorAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newLAN()
		key, _ := newKeyFile(t, "ping", 0)
		_, pong := newKeyFile(t, "pong", 0)
		_, other := newKeyFile(t, "pong", 1, lanAddress(1))
		s := n.newStranger(t, pong.ID, "pong", handmade.Pong(), lanAddress(1))
		s.serve(func(c *conversationWith) {
			c.hear()
			c.say(connection.AppendHello(s.hello))
		})
		for _, c := range []struct {
			members []trust.Member
			args    []string
			want    string
			bad     bool
		}{
			{nil, nil, "WRONG no other peer is known\n      use -join with an invitation, or -peers\n", true},
			{nil, nil, "note  no -key and no -state: the peer would have another id at each start", true},
			{[]trust.Member{pong}, []string{"-key", key}, "note  pong-0 has no address: it must dial\n", true},
			{[]trust.Member{pong}, []string{"-key", key}, "WRONG no other peer can be dialed, and none can dial this one\n", true},
			{[]trust.Member{pong}, []string{"-key", key, "-listen", "127.0.0.1:4001"}, "has no address: it must dial\n", false},
			{[]trust.Member{other}, []string{"-key", key}, "another peer has that address now, or the peer has a new key", true},
			{nil, []string{"-key", key, "-trust-first", "-join", string(lanAddress(1))}, pong.ID.String() + " answers at " + string(lanAddress(1)) + ", and would be trusted", false},
			{nil, []string{"-key", key, "-trust-first", "-join", string(lanAddress(2))}, "WRONG " + string(lanAddress(2)) + ": " + errNobody.Error(), true},
			{nil, []string{"-key", "nowhere"}, "WRONG -key: stat nowhere: no such file or directory; the command keygen makes one", true},
		} {
			out, err := n.examine(t, c.members, c.args...)
			if !strings.Contains(out, c.want) || (err != nil) != c.bad {
				t.Errorf("%s: %v\n%s\nwant %s", c.args, err, out, c.want)
			}
		}
	})
}

// TestDoctorState shows what the doctor says of a state directory: of one that was never used, of one in use, of a
// snapshot, and of a damaged one. It changes nothing there.
func TestDoctorState(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newLAN()
		dir := filepath.Join(t.TempDir(), "state")
		says := func(want ...string) {
			t.Helper()
			out, _ := n.examine(t, []trust.Member{{ID: testID(2), Class: "pong"}}, "-state", dir)
			for _, w := range want {
				if !strings.Contains(out, w) {
					t.Errorf("it says\n%s\nwant %s", out, w)
				}
			}
		}
		says("WRONG no key: ", "it is made when the peer runs for the first time, or by keygen -state")
		if _, err := os.Stat(dir); err == nil {
			t.Error("the doctor has made the state directory")
		}
		data := t.TempDir()
		x := n.run(t, handmade.Ping(1), []trust.Member{{ID: testID(2), Class: "pong"}}, "-state", dir, "-listen", string(lanAddress(1)), "-data", data)
		pass(time.Second)
		says("the peer runs\n", "ok    data in "+data)
		if err := x.end(); err != nil {
			t.Fatal(err)
		}
		says("ok    a snapshot of ", "note  others dial this peer at "+string(lanAddress(1)))
		snapshot := filepath.Join(dir, state.SnapshotFile)
		if err := os.WriteFile(snapshot, []byte("scribble"), 0o600); err != nil {
			t.Fatal(err)
		}
		says("WRONG "+snapshot, "the peer goes back to the one before, if that is there; move it away to begin anew")
		if err := os.Remove(snapshot); err != nil {
			t.Fatal(err)
		}
		says("ok    " + dir + " can be written; there is no snapshot yet")
	})
}

// TestDoctorOptions: mistakes on the doctor's command line are those of the peer.
func TestDoctorOptions(t *testing.T) {
	n := newLAN()
	for _, args := range [][]string{{"-rank", "one"}, {"-grace", "soon"}, {"-nosuch"}} {
		var bad usageError
		if out, err := n.examine(t, nil, args...); !errors.As(err, &bad) || out != "" {
			t.Errorf("%s: %v, and it says %q", args, err, out)
		}
	}
	d := &examination{program: &Program{Transport: noTransport}, w: &strings.Builder{}}
	h := &host{program: *d.program, options: &Options{}, disk: disk.OS}
	if d.others(h); d.bad != 1 || !strings.Contains(fmt.Sprint(d.w), "WRONG there is no network") {
		t.Errorf("without a network it says %v", d.w)
	}
}

// TestAdvice shows what to do for each reason why a peer cannot be reached.
func TestAdvice(t *testing.T) {
	for _, c := range []struct {
		err  error
		join []string
		want string
	}{
		{ErrWrongKey, nil, "ask for a new invitation"},
		{&connection.RefusedError{Why: runtime.ErrUnknownPeer.Error()}, []string{"token"}, "run it once with -join"},
		{&connection.RefusedError{Why: runtime.ErrUnknownPeer.Error()}, nil, "invite -state DIR -class ping"},
		{&connection.RefusedError{Why: runtime.ErrProgram.Error()}, nil, "-accept"},
		{&connection.RefusedError{Why: runtime.ErrClass.Error()}, nil, "an invitation for this class"},
		{fmt.Errorf("dial: %w", &net.DNSError{Name: "nowhere"}), nil, "the name is not known here"},
		{fmt.Errorf("dial: %w", context.DeadlineExceeded), nil, "a firewall or a router"},
		{errors.New("connect: connection refused"), nil, "is the peer running, with -listen"},
		{errors.New("something else"), nil, ""},
	} {
		d := &examination{program: &Program{Class: "ping"}}
		got := d.advice(&host{options: &Options{Join: c.join}}, c.err)
		if !strings.Contains(got, c.want) || c.want == "" && got != "" {
			t.Errorf("%v: the advice is %q, want %s", c.err, got, c.want)
		}
	}
}
