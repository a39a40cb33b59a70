package upgrade

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/bbgen/bbgen/runtime/host/disk"
	"github.com/bbgen/bbgen/runtime/host/peer/internal/state"
)

// A Host is a peer that is upgraded. Its loop calls all methods but Post.
type Host interface {
	Post(do func())     // has the loop call do
	Stopping() bool     // reports whether the peer was told to stop
	Stop()              // tells it to
	RequestCheckpoint() // has a snapshot written; [Upgrader.Saved] tells when it is durable
}

// Upgrader performs a peer's part of an upgrade. Without a state directory it does nothing.
type Upgrader struct {
	Host    Host
	Ctx     context.Context // done when the host ends
	Log     *slog.Logger
	Disk    disk.FS
	Dir     string        // the state directory; "": none
	Own     state.Version // of the program, with the layout of its snapshots
	Accept  string        // the fingerprint of the option
	GivenUp error         // the end of a host that has given up executions, which the successor repeats
	Binary  string        // the executable of the process, if it is the peer's own; "": it is another program's
	Args    []string      // of the process

	asked  bool // an order is looked for, or handled
	next   *Successor
	worked chan struct{} // closed when the latest work outside of the loop is done; nil: there was none

	prepared *prepared // waits for the decision of the loop, or for the end of the host; set before worked is closed

	mu       sync.Mutex
	inherits int           // how many more snapshots make the decision of a predecessor superfluous; guarded by mu
	saves    chan struct{} // closed when the next of these is durable; nil: nothing waits for it; guarded by mu
}

// prepared is an order whose binary was checked, and is in its place if there is no error.
type prepared struct {
	order *state.Order
	next  *Successor
	err   error
}

// Look checks for an order, outside of the loop: the disk may hang.
func (u *Upgrader) Look() {
	if u.Dir == "" || u.asked || u.Host.Stopping() {
		return
	}
	u.asked = true
	go func() {
		o, err := state.ReadOrder(u.Disk, u.Dir)
		u.Host.Post(func() {
			if err != nil || o == nil || o.Stage != state.Ordered || time.Now().After(o.Until) {
				u.asked = false
				return
			}
			u.begin(o)
		})
	}()
}

// begin prepares a successor. If the host ends meanwhile, End does what the loop cannot do any more.
func (u *Upgrader) begin(o *state.Order) {
	if u.Host.Stopping() {
		u.decide(o, nil, errToldToStop)
		return
	}
	u.work(func() {
		next, err := u.prepare(o)
		u.prepared = &prepared{o, next, err}
		u.Host.Post(func() {
			u.prepared = nil
			u.decide(o, next, err)
		})
	})
}

// decide stops the peer for its successor, if there is one.
func (u *Upgrader) decide(o *state.Order, next *Successor, err error) {
	if err == nil && u.Host.Stopping() {
		err = errToldToStop
	}
	if err != nil {
		u.work(func() {
			u.refuse(o, errors.Join(err, next.back()))
			u.Host.Post(func() { u.asked = false })
		})
		return
	}
	u.next = next
	u.work(func() {
		o.Stage = state.Accepted
		u.answer(o)
		u.Log.Info("the peer goes on as another binary", "binary", next.Binary, "build", o.Now.Build)
		u.Host.Post(u.Host.Stop)
	})
}

// work calls f outside of the loop: the disk may hang. There is one order at a time, and so is this.
func (u *Upgrader) work(f func()) {
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

// End ends a host, and executes the successor if there is one. The successor repeats executions that have not
// ended in time.
func (u *Upgrader) End(ctx context.Context, err error) error {
	if u.worked != nil {
		<-u.worked
	}
	why := err
	if why == nil || errors.Is(why, u.GivenUp) {
		why = nil
		if ctx.Err() != nil {
			why = errToldToStop
		}
	}
	switch p := u.prepared; {
	case p != nil: // the loop had ended before it could decide
		err = errors.Join(err, p.next.back())
		u.refuse(p.order, cmp.Or(why, errHostEnded))
		return err
	case u.next == nil:
		return err
	case why == nil:
		return u.next
	}
	err = errors.Join(err, u.next.back())
	u.refuse(&u.next.order, why)
	return err
}

// refuse refuses an upgrade.
func (u *Upgrader) refuse(o *state.Order, why error) {
	u.Log.Warn("an upgrade is refused", "binary", o.Binary, "err", why)
	u.disinherit()
	o.Stage, o.Refused = state.Refused, why.Error()
	u.answer(o)
}

// answer records the state of an order for the command upgrade.
func (u *Upgrader) answer(o *state.Order) {
	if err := state.WriteOrder(u.Disk, u.Dir, o); err != nil {
		u.Log.Warn("the command upgrade gets no answer", "err", err)
	}
}

// prepare checks a new binary, and puts it in the place of the running one. Everything that a process needs to know that is started
// after that is on the disk before.
func (u *Upgrader) prepare(o *state.Order) (*Successor, error) {
	if err := u.able(); err != nil {
		return nil, err
	}
	file := o.Binary
	if file == "" {
		file = u.Binary
	}
	ctx, cancel := context.WithDeadline(u.Ctx, o.Until)
	defer cancel()
	var err error
	if o.Now, err = ask(ctx, file, u.Args); err != nil {
		return nil, err
	}
	accept, err := u.continues(o.Now)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	if err := u.settle(ctx, o.Now); err != nil {
		return nil, err
	}
	o.Stage = state.Taken
	if err := state.WriteOrder(u.Disk, u.Dir, o); err != nil {
		return nil, err
	}
	if err := u.bequeath(o.Now); err != nil {
		return nil, err
	}
	next := &Successor{order: *o, Binary: u.Binary, Args: slices.Concat(u.Args, accept), state: u.Dir}
	if file == u.Binary {
		return next, nil
	}
	return next, next.replace(file)
}

// able returns an error if this process cannot switch to another binary.
func (u *Upgrader) able() error {
	switch {
	case u.Binary == "":
		return errors.New("the peer runs inside another program: stop that, and start its new binary")
	case !CanExec:
		return errors.New("on this system a process cannot become another binary: stop the peer, and start the new binary with the same flags; -state keeps what matters")
	}
	return nil
}

// continues returns an error if a version cannot continue from the snapshots of this one. It returns the flags
// that the version needs for that.
func (u *Upgrader) continues(v state.Version) (accept []string, err error) {
	own := u.Own
	switch {
	case v.Program != own.Program || v.Class != own.Class:
		return nil, fmt.Errorf("it is a %s of program %s, this is a %s of %s", v.Class, v.Program, own.Class, own.Program)
	case v.Layout != own.Layout:
		return nil, fmt.Errorf("its snapshots have another layout, %s, and those of this one %s: it would have to begin anew", v.Layout, own.Layout)
	case v.Fingerprint == own.Fingerprint:
		return nil, nil
	case v.Fingerprint != strings.ToLower(u.Accept):
		return nil, fmt.Errorf("its program has fingerprint %s, this one %s: if their shared edges are the same, start all peers with -accept and the fingerprint of the other first", v.Fingerprint, own.Fingerprint)
	}
	return []string{"-accept", own.Fingerprint}, nil
}

// Arrive records that an upgrade is complete, if this process is its result, or that it has failed.
func (u *Upgrader) Arrive() {
	if u.Dir == "" {
		return
	}
	o, err := state.ReadOrder(u.Disk, u.Dir)
	if err != nil || o == nil || o.Stage != state.Taken && o.Stage != state.Accepted {
		return
	}
	own := u.Own
	if o.Stage == state.Taken && own != o.Now {
		u.refuse(o, errKilled)
		return
	}
	o.Stage, o.Now = state.Upgraded, own
	u.answer(o)
}
