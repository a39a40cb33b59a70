package hosttest_test

import (
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// notice is a fault that a test of the suite notices, and what it says; "": it is no fault, and the test passes.
type notice struct{ fault, test, want string }

// byStreams are faults that tests notice which have streams, and no hosts.
var byStreams = []notice{
	{"reads are short", "dial", ""},
	{"reads are short", "bytes", ""},
	{"listens without an address", "dial", "one who does not listen has addresses"},
	{"does not say whose addresses are", "dial", "does not say whose it is"},
	{"takes whoever dials for another peer", "dial", `got "false /bbgen/env/1 `},
	{"takes a stream for one of another protocol", "dial", `want "true /bbgen/bulk/1 abc"`},
	{"accepts a stream twice", "dial", `got ""`},
	{"drops the first stream", "dial", `got ""`},
	{"dials the first address only", "dial", "dial tcp 127.0.0.1:1: "},
	{"dials without its context", "dial is canceled", "a dial goes on when it need not"},
	{"does not report that it cannot listen", "no such place", "/ip4/127.0.0.1/tcp/99999: exit code 0"},
	{"takes whoever answers for the wanted peer", "wrong key", "got <nil>, want another peer answers there"},
	{"dials no peer that it does not know", "wrong key", "nobody in particular: "},
	{"does not say that there is no address", "wrong key", "want no address of the peer is known"},
	{"does not say that it is closed", "close", "Accept says EOF, want the transport is closed"},
	{"leaves streams open at Close", "close", "a stream outlives the other end"},
	{"does not end a stream at Close", "close", "a read goes on after Close of its stream"},
	{"does not end a stream at Close", "reader closes", `i/o timeout, want "enough" and the end`},
	{"ends only writes at Close", "reader closes", "the writer still waits"},
	{"does not tell the writer", "reader closes", "the writer still waits"},
	{"loses the end of bulk streams", "reader closes", `/bbgen/bulk/1: got "", <nil>, want "enough" and the end`},
	{"reorders writes", "bytes", "of which the first 0 are those of the"},
	{"repeats a write", "bytes", "of which the first 503 are those of the"},
	{"drops a write", "bytes", "of which the first 3 are those of the"},
	{"alters a byte", "bytes", "of which the first 253 are those of the"},
	{"does not write while it reads", "bytes", "i/o timeout"},
	{"has no deadline for reads", "deadlines", "a read goes on after its deadline"},
	{"has no deadline for writes", "deadlines", "a write goes on after its deadline"},
	{"accepts writes without end", "deadlines", "nobody reads the 64 MiB that are written"},
	{"has one stream for each peer", "bytes", "0 bytes arrive"},
}

// byHosts are faults that tests of hosts notice.
var byHosts = []notice{
	{"reads are short", "rounds", ""},
	{"takes strangers for members", "hello refused", `no permission: got "", <nil>; want the peer is not admitted`},
	{"opens no parallel streams", "parallel", "0 ends of parallel streams, want 6"},
	{"lets the other end take its time", "slow", "the stream does not end"},
	{"lets the other end take its time", "dripping hello", "the stream does not end"},
	{"does not hang up", "no hello", "the stream does not end"},
	{"does not hang up", "forged", "the stream does not end, and there are always more messages"},
	{"needs a MiB for each stream", "silent streams", "are kept, want at most 131072"},
	{"needs a MiB for each stream", "oversized", "MiB are held for what was announced"},
	{"gives handshakes an hour", "silent connections", "may be silent for ever"},
}

// TestNotices: each fault of a transport makes a test of the suite fail with a message about it. Without a fault the same
// test passes.
func TestNotices(t *testing.T) { notices(t, byStreams) }

// TestHostsNotice is TestNotices with faults that take longer to be noticed.
func TestHostsNotice(t *testing.T) {
	if testing.Short() {
		t.Skip("the race detector makes hosts slow")
	}
	notices(t, byHosts)
}

func notices(t *testing.T, list []notice) {
	list = slices.Concat(sound(list), list)
	outputs := make([]chan string, len(list))
	turns := make(chan struct{}, 16) // more than there are processors: most of the time they wait
	for i, n := range list {
		outputs[i] = make(chan string, 1)
		go func() {
			turns <- struct{}{}
			defer func() { <-turns }()
			outputs[i] <- outputOf(t, n)
		}()
	}
	for i, n := range list {
		t.Run(n.fault+"/"+n.test, func(t *testing.T) {
			if out := <-outputs[i]; !n.isIn(out) {
				t.Errorf("got:\n%s\nwant %q", out, n.want)
			}
		})
	}
}

// sound returns each test of a list once, without a fault.
func sound(list []notice) (passes []notice) {
	for _, n := range list {
		if p := (notice{fault: "none", test: n.test}); !slices.Contains(passes, p) {
			passes = append(passes, p)
		}
	}
	return passes
}

// isIn reports whether an output is that of the test, with its message.
func (n notice) isIn(out string) bool {
	verdict := "--- FAIL: "
	if n.want == "" {
		verdict = "--- PASS: "
	}
	return strings.Contains(out, verdict+"TestTransport/"+n.subtest()+" ") && strings.Contains(out, n.want)
}

func (n notice) subtest() string { return strings.ReplaceAll(n.test, " ", "_") }

// outputOf runs the test over a transport with the fault, as a process, and returns its output. It waits for what
// never happens due to the fault: a few seconds, and a minute if that was too short on a busy machine.
func outputOf(t *testing.T, n notice) (out string) {
	self, err := os.Executable()
	if err != nil {
		return err.Error()
	}
	for _, patience := range []string{"3s", "1m"} {
		cmd := exec.CommandContext(t.Context(), self, "-test.run=^TestTransport$/^"+n.subtest()+"$", "-test.v", "-test.timeout=5m")
		cmd.Env = append(os.Environ(), faultVariable+"="+n.fault, patienceVariable+"="+patience)
		b, _ := cmd.CombinedOutput() // it says itself that it fails
		if out = string(b); n.isIn(out) {
			break
		}
	}
	return out
}
