package peer

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/classes"
	"github.com/bbgen/bbgen/runtime/cpu"
	"github.com/bbgen/bbgen/runtime/host/disk"
	"github.com/bbgen/bbgen/runtime/host/live"
	"github.com/bbgen/bbgen/runtime/host/lockfile"
	"github.com/bbgen/bbgen/runtime/host/peer/internal/state"
	"github.com/bbgen/bbgen/runtime/host/peer/trust"
	"github.com/bbgen/bbgen/runtime/wire"
)

// doctor checks the requirements of a peer, with the flags with which the peer runs, whether it runs or not. It
// returns an error if a check fails.
func doctor(ctx context.Context, p *Program, args []string, stdout, stderr io.Writer) error {
	if asksHelp(args) {
		fmt.Fprint(stdout, doctorHelp)
		return flag.ErrHelp
	}
	o, err := parse(p, args, stdout)
	if err != nil {
		return usageError{err}
	}
	d := &examination{program: p, w: stdout}
	h := newObserver(ctx, p, o)
	if h.Times, h.grace, err = o.times(); err != nil {
		return usageError{err}
	}
	if h.log, err = newLog(stderr, "none", ""); err != nil {
		return err
	}
	if d.local(h) {
		d.others(h)
	}
	if d.bad > 0 {
		return fmt.Errorf("doctor: problems found: %d", d.bad)
	}
	return nil
}

const doctorHelp = `Says whether this peer can do its work: its program, memory, limits, key and snapshot, and
whether the peers that it knows can be reached, hold the right keys, run the same program
and let it in. It changes nothing. The exit code is 1 if something is wrong.

usage: doctor [flags]

The flags are those that the peer is started with; those that matter are -state, or -key
and -peers, -join, -listen, -host, -accept and -config. "-h" without doctor lists them all.

example:
  peer doctor -state state
`

// examination prints the results of checks, a line for each.
type examination struct {
	program *Program
	w       io.Writer
	bad     int
}

func (d *examination) good(format string, args ...any) {
	fmt.Fprintf(d.w, "ok    "+format+"\n", args...)
}

func (d *examination) note(format string, args ...any) {
	fmt.Fprintf(d.w, "note  "+format+"\n", args...)
}

func (d *examination) wrong(advice, format string, args ...any) {
	d.bad++
	fmt.Fprintf(d.w, "WRONG "+format+"\n", args...)
	if advice != "" {
		fmt.Fprintf(d.w, "      %s\n", advice)
	}
}

// local checks this machine, and reports whether the peer's state was found.
func (d *examination) local(h *host) bool {
	o := h.options
	d.good("program %q, class %s, fingerprint %x, kernels %v", d.program.Name, d.program.Class, d.program.Fingerprint, cpu.CurrentLevel())
	h.fit()
	d.good("%s of memory, %.3g processors, %d descriptors: %d threads", live.Bytes(int64(h.machine.Memory)), h.machine.CPUs, h.machine.Descriptors, h.machine.Threads())
	d.good("limits: %s", limitsText(&h.Limits))
	if o.Key == "" && o.State == "" {
		d.note("no -key and no -state: the peer would have another id at each start, which no peer has admitted")
	}
	if o.State != "" && o.Key == "" {
		if _, err := os.Stat(filepath.Join(o.State, state.KeyFile)); err != nil {
			d.wrong("it is made when the peer runs for the first time, or by keygen -state", "no key: %v", err)
			return false
		}
	}
	if err := h.identity(nil); err != nil {
		d.wrong("", "%v", err)
		return false
	}
	d.good("peer id %v, %s", h.config.Self, h.name())
	if o.Data != "" {
		if _, err := os.ReadDir(o.Data); err != nil {
			d.wrong("-data names the directory that the program reads", "%v", err)
		} else {
			d.good("data in %s", o.Data)
		}
	}
	if o.State != "" {
		d.state(h.disk, o.State)
	}
	return true
}

func (d *examination) state(on disk.FS, dir string) {
	s, err := state.Open(on, dir)
	switch {
	case errors.Is(err, lockfile.ErrInUse):
		d.note("%v: the peer runs", err)
		return
	case err != nil:
		d.wrong("", "%v", err)
		return
	}
	defer s.Close()
	switch x, err := s.Read(state.SnapshotFile); {
	case err != nil:
		d.wrong("the peer goes back to the one before, if that is there; move it away to begin anew", "%v", err)
	case x == nil:
		d.good("%s can be written; there is no snapshot yet", dir)
	default:
		d.good("a snapshot of %d bytes in %s", len(x.Bytes), dir)
	}
}

// others asks each peer with an address whether it would admit this one.
func (d *examination) others(h *host) {
	t, err := h.program.Transport(TransportConfig{Key: h.key, Log: h.log, Handshakes: 1, HandshakeTimeout: h.Times.Hello})
	if err != nil {
		d.wrong("", "%v", err)
		return
	}
	defer t.Close()
	h.transport = t
	dialed := 0
	for _, l := range h.sorted() {
		if !l.keep() {
			d.note("%s has no address: it must dial", h.nameOf(l.ID))
			continue
		}
		dialed++
		d.peer(h, l)
	}
	for _, a := range h.strangers {
		dialed++
		d.stranger(h, a)
	}
	if len(h.links)+len(h.strangers) == 0 {
		d.wrong("use -join with an invitation, or -peers", "no other peer is known")
	} else if dialed == 0 && !d.listens(h) {
		d.wrong("use -listen, or -join with an invitation", "no other peer can be dialed, and none can dial this one")
	}
}

// listens reports whether others can dial this peer: at the addresses of -listen, or of its last run.
func (d *examination) listens(h *host) bool {
	if len(h.options.Listen) > 0 || h.options.State == "" {
		return len(h.options.Listen) > 0
	}
	self, err := trust.ReadSelf(h.disk, h.options.State)
	if err != nil || len(self.Addresses) == 0 {
		return false
	}
	d.note("others dial this peer at %s, where it listened when it was started last", self.Addresses[0])
	return true
}

// hello returns the Hello of a peer that only asks.
func (d *examination) hello() wire.Hello {
	return wire.Hello{Protocol: wire.Protocol, Fingerprint: d.program.Fingerprint, Classes: classes.Split(d.program.Class), KernelLevel: cpu.CurrentLevel().String()}
}

// stranger asks the peer at an address that -trust-first is for.
func (d *examination) stranger(h *host, a wire.Address) {
	s, _, _, err := h.dialStream(wire.PeerID{}, []wire.Address{a}, EnvelopeStream, d.hello())
	if err != nil {
		d.wrong(d.advice(h, err), "%s: %v", a, err)
		return
	}
	d.good("%v answers at %s, and would be trusted: it runs the same program and lets this peer in", s.Peer(), a)
	s.Close()
}

func (d *examination) peer(h *host, l *link) {
	name := h.nameOf(l.ID)
	hello := d.hello()
	began := time.Now()
	s, _, theirs, err := h.dialStream(l.ID, l.Addresses, EnvelopeStream, hello)
	took := time.Since(began)
	if err != nil {
		d.wrong(d.advice(h, err), "%s at %v: %v", name, l.Addresses, err)
		return
	}
	s.Close()
	d.good("%s answers within %v, holds the right key, runs the same program and lets this peer in", name, took.Round(100*time.Microsecond))
	skew := time.Unix(0, int64(theirs.Unix)).Sub(began.Add(took / 2))
	if skew.Abs() > took+time.Second {
		d.wrong("invitations expire by the clock: set it, on both machines, by NTP", "the clock of %s is %v off", name, skew.Round(time.Millisecond))
	} else {
		d.good("the clock of %s is this one's, as far as can be seen in %v", name, took.Round(100*time.Microsecond))
	}
	if theirs.KernelLevel != hello.KernelLevel {
		d.note("%s computes with %s kernels, this peer with %s: for the same bits everywhere use -kernels portable", name, theirs.KernelLevel, hello.KernelLevel)
	}
}

// advice says what to do about a peer that cannot be reached.
func (d *examination) advice(h *host, err error) string {
	var dns *net.DNSError
	text := err.Error()
	switch {
	case errors.Is(err, ErrWrongKey):
		return "another peer has that address now, or the peer has a new key: ask for a new invitation"
	case strings.Contains(text, runtime.ErrUnknownPeer.Error()) && len(h.options.Join) > 0:
		return "it has not heard of this peer yet: run it once with -join"
	case strings.Contains(text, runtime.ErrUnknownPeer.Error()):
		return fmt.Sprintf("there, run: invite -state DIR -class %s, and use what it prints with -join here; or put %v in its -peers", d.program.Class, h.config.Self)
	case strings.Contains(text, runtime.ErrProgram.Error()):
		return "build both from the same program; or, if the edges are the same, run the newer one with -accept and the fingerprint of the older"
	case strings.Contains(text, runtime.ErrClass.Error()):
		return "it was admitted as something else: ask for an invitation for this class"
	case errors.As(err, &dns):
		return "the name is not known here"
	case errors.Is(err, context.DeadlineExceeded):
		return "nothing comes back: a firewall or a router may be in between, or the machine is off"
	case strings.Contains(text, "refused"):
		return "no listener at that address: is the peer running, with -listen, on that port?"
	}
	return ""
}
