package peer

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/bbgen/bbgen/runtime/host/disk"
	"github.com/bbgen/bbgen/runtime/host/peer/internal/state"
)

// upgrader performs the peer's part of an upgrade.
type upgrader struct {
	binary string   // the executable of the process, if it is the peer's own; "": it is another program's
	args   []string // of the process
	layout uint64   // of snapshots
	asked  bool     // an order is looked for, or handled
	next   *successor
	worked chan struct{} // closed when the latest work outside of the loop is done; nil: there was none

	prepared *prepared // waits for the decision of the loop, or for the end of the host; set before worked is closed

	mu       sync.Mutex
	inherits int           // how many more snapshots make the decision of a predecessor superfluous; guarded by mu
	saves    chan struct{} // closed when the next of these is durable; nil: nothing waits for it; guarded by mu
}

// prepared is an order whose binary was checked, and is in its place if there is no error.
type prepared struct {
	order *state.Order
	next  *successor
	err   error
}

// successor is the binary that a process executes when its peer has ended.
type successor struct {
	order    state.Order
	binary   string
	previous string // the copy of the old binary; "": the new one was in place already
	args     []string
	state    string
}

func (*successor) Error() string { return "the peer goes on as another binary" }

// look checks for an order, outside of the loop: the disk may hang.
func (u *upgrader) look(h *host) {
	if h.state == nil || u.asked || h.stopping {
		return
	}
	u.asked = true
	go func() {
		o, err := state.ReadOrder(h.disk, h.options.State)
		h.Post(func() {
			if err != nil || o == nil || o.Stage != state.Ordered || time.Now().After(o.Until) {
				u.asked = false
				return
			}
			u.begin(h, o)
		})
	}()
}

// begin prepares a successor. If the host ends meanwhile, end does what the loop cannot do any more.
func (u *upgrader) begin(h *host, o *state.Order) {
	if h.stopping {
		u.decide(h, o, nil, errToldToStop)
		return
	}
	u.work(func() {
		next, err := u.prepare(h, o)
		u.prepared = &prepared{o, next, err}
		h.Post(func() {
			u.prepared = nil
			u.decide(h, o, next, err)
		})
	})
}

// decide stops the peer for its successor, if there is one.
func (u *upgrader) decide(h *host, o *state.Order, next *successor, err error) {
	if err == nil && h.stopping {
		err = errToldToStop
	}
	if err != nil {
		u.work(func() {
			u.refuse(h, o, errors.Join(err, next.back()))
			h.Post(func() { u.asked = false })
		})
		return
	}
	u.next = next
	u.work(func() {
		o.Stage = state.Accepted
		u.answer(h, o)
		h.log.Info("the peer goes on as another binary", "binary", next.binary, "build", o.Now.Build)
		h.Post(h.stop)
	})
}

// work calls f outside of the loop: the disk may hang. There is one order at a time, and so is this.
func (u *upgrader) work(f func()) {
	done := make(chan struct{})
	u.worked = done
	go func() {
		defer close(done)
		f()
	}()
}

var (
	errToldToStop = errors.New("the peer was told to stop")
	errHostEnded  = errors.New("the peer has ended")
	errKilled     = errors.New("the peer was killed before the new binary was in its place, and runs as the old one")
)

// end ends a host, and executes the successor if there is one. The successor repeats executions that have not
// ended in time.
func (u *upgrader) end(ctx context.Context, h *host, err error) error {
	if u.worked != nil {
		<-u.worked
	}
	why := err
	if why == nil || errors.Is(why, errGrace) {
		why = nil
		if ctx.Err() != nil {
			why = errToldToStop
		}
	}
	switch p := u.prepared; {
	case p != nil: // the loop had ended before it could decide
		err = errors.Join(err, p.next.back())
		u.refuse(h, p.order, cmp.Or(why, errHostEnded))
		return err
	case u.next == nil:
		return err
	case why == nil:
		return u.next
	}
	err = errors.Join(err, u.next.back())
	u.refuse(h, &u.next.order, why)
	return err
}

// refuse refuses an upgrade.
func (u *upgrader) refuse(h *host, o *state.Order, why error) {
	h.log.Warn("an upgrade is refused", "binary", o.Binary, "err", why)
	u.disinherit(h)
	o.Stage, o.Refused = state.Refused, why.Error()
	u.answer(h, o)
}

// answer records the state of an order for the command upgrade.
func (u *upgrader) answer(h *host, o *state.Order) {
	if err := state.WriteOrder(h.disk, h.options.State, o); err != nil {
		h.log.Warn("the command upgrade gets no answer", "err", err)
	}
}

// prepare checks a new binary, and puts it in the place of the running one. Everything that a process needs to know that is started
// after that is on the disk before.
func (u *upgrader) prepare(h *host, o *state.Order) (*successor, error) {
	if err := u.able(); err != nil {
		return nil, err
	}
	file := o.Binary
	if file == "" {
		file = u.binary
	}
	ctx, cancel := context.WithDeadline(h.Ctx, o.Until)
	defer cancel()
	var err error
	if o.Now, err = ask(ctx, file, u.args); err != nil {
		return nil, err
	}
	accept, err := u.continues(h, o.Now)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	if err := u.settle(ctx, h, o.Now); err != nil {
		return nil, err
	}
	o.Stage = state.Taken
	if err := state.WriteOrder(h.disk, h.options.State, o); err != nil {
		return nil, err
	}
	if err := u.bequeath(h, o.Now); err != nil {
		return nil, err
	}
	next := &successor{order: *o, binary: u.binary, args: slices.Concat(u.args, accept), state: h.options.State}
	if file == u.binary {
		return next, nil
	}
	return next, next.replace(file)
}

// able returns an error if this process cannot switch to another binary.
func (u *upgrader) able() error {
	switch {
	case u.binary == "":
		return errors.New("the peer runs inside another program: stop that, and start its new binary")
	case !canExec:
		return errors.New("on this system a process cannot become another binary: stop the peer, and start the new binary with the same flags; -state keeps what matters")
	}
	return nil
}

// askPatience is how long the output of a binary that has ended may stay open: if it is a script, a program that it has started
// may hold it.
const askPatience = time.Second

// ask runs a binary with some arguments to get its version.
func ask(ctx context.Context, file string, args []string) (v state.Version, err error) {
	var errs bytes.Buffer
	cmd := exec.CommandContext(ctx, file, append([]string{"version"}, args...)...)
	cmd.Stderr = &errs
	cmd.WaitDelay = askPatience
	out, err := cmd.Output()
	if err != nil {
		if said := strings.TrimSpace(errs.String()); said != "" {
			err = fmt.Errorf("%w: %s", err, said)
		}
		return v, fmt.Errorf("%s does not say which version it is: %w", file, err)
	}
	if err := json.Unmarshal(out, &v); err != nil {
		return v, fmt.Errorf("%s is no peer that can be upgraded to: it says %.100q", file, out)
	}
	return v, nil
}

// continues returns an error if a version cannot continue from the snapshots of this one. It returns the flags
// that the version needs for that.
func (u *upgrader) continues(h *host, v state.Version) (accept []string, err error) {
	own := h.program.version(u.layout)
	switch {
	case v.Program != own.Program || v.Class != own.Class:
		return nil, fmt.Errorf("it is a %s of program %s, this is a %s of %s", v.Class, v.Program, own.Class, own.Program)
	case v.Layout != own.Layout:
		return nil, fmt.Errorf("its snapshots have another layout, %s, and those of this one %s: it would have to begin anew", v.Layout, own.Layout)
	case v.Fingerprint == own.Fingerprint:
		return nil, nil
	case v.Fingerprint != strings.ToLower(h.options.Accept):
		return nil, fmt.Errorf("its program has fingerprint %s, this one %s: if their shared edges are the same, start all peers with -accept and the fingerprint of the other first", v.Fingerprint, own.Fingerprint)
	}
	return []string{"-accept", own.Fingerprint}, nil
}

// replace replaces the binary by a file, and keeps the old one beside it. If the process is killed at any time,
// one of the two complete files is in place.
func (s *successor) replace(file string) error {
	after, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	before, err := os.ReadFile(s.binary)
	if err != nil || bytes.Equal(before, after) { // of an earlier upgrade
		return err
	}
	info, err := os.Stat(s.binary)
	if err != nil {
		return err
	}
	temp, err := disk.Prepare(disk.OS, s.binary, info.Mode().Perm(), after)
	if err != nil {
		return fmt.Errorf("%w: put the new binary there yourself, and run upgrade without -binary", err)
	}
	previous := s.binary + ".previous"
	os.Remove(previous)
	if err := os.Link(s.binary, previous); err != nil {
		os.Remove(temp)
		return fmt.Errorf("the binary that runs cannot be kept: %w", err)
	}
	if err := disk.Commit(disk.OS, temp, s.binary); err != nil {
		return err
	}
	s.previous = previous
	return nil
}

// back restores the replaced binary.
func (s *successor) back() error {
	if s == nil || s.previous == "" {
		return nil
	}
	return os.Rename(s.previous, s.binary)
}

// take executes the successor. If it cannot be run, it executes the old binary, which continues. It returns if
// neither can be run.
func (s *successor) take() error {
	name := os.Args[0]
	err := execute(s.binary, append([]string{name}, s.args...))
	o := s.order
	o.Stage, o.Refused = state.Refused, fmt.Sprintf("%s cannot be run: %v", s.binary, err)
	state.WriteOrder(disk.OS, s.state, &o)
	if s.previous == "" {
		return err
	}
	if worse := s.back(); worse != nil {
		return errors.Join(err, worse)
	}
	return errors.Join(err, execute(s.binary, os.Args))
}

// arrive records that an upgrade is complete, if this process is its result, or that it has failed.
func (u *upgrader) arrive(h *host) {
	if h.state == nil {
		return
	}
	o, err := state.ReadOrder(h.disk, h.options.State)
	if err != nil || o == nil || o.Stage != state.Taken && o.Stage != state.Accepted {
		return
	}
	own := h.program.version(u.layout)
	if o.Stage == state.Taken && own != o.Now {
		u.refuse(h, o, errKilled)
		return
	}
	o.Stage, o.Now = state.Upgraded, own
	u.answer(h, o)
}
