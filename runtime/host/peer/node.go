package peer

import (
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/cpu"
	"github.com/bbgen/bbgen/runtime/host/feed"
	"github.com/bbgen/bbgen/runtime/host/peer/internal/spool"
	"github.com/bbgen/bbgen/runtime/host/peer/internal/state"
	"github.com/bbgen/bbgen/runtime/host/peer/internal/upgrade"
	"github.com/bbgen/bbgen/runtime/host/peer/trust"
)

// makeNode makes the partition and the node that runs it, from the snapshot if there is one.
func (h *host) makeNode(io.Writer) error {
	o := h.options
	c := &h.config
	accept, err := o.fingerprint()
	if err != nil {
		return usageError{err}
	}
	c.Incarnation = uint64(time.Now().UnixNano())
	h.upgrader = upgrade.Upgrader{Host: h, Ctx: h.Ctx, Log: h.log, Disk: h.disk, Own: h.program.version(0), Accept: o.Accept, GivenUp: errGrace}
	if h.state != nil {
		h.upgrader.Dir = o.State
	}
	c.Seed, c.Limits, c.Accept = o.Seed, h.Limits, h.upgrader.Inherit(accept)
	c.KernelLevel, c.BuildID = cpu.CurrentLevel().String(), h.program.BuildID
	if h.storm, err = newStorm(o.Chaos, o.Seed, c.Rank); err != nil {
		return usageError{err}
	}
	c.Resend = h.storm.resend()
	c.Durable, c.Heartbeat, c.Hold = h.state != nil, int64(h.Times.Ping), true
	c.Peers, c.Spool, c.Sum256 = h.members.Configs(), h.spool, sha256.Sum256
	c.Processors = max(int(h.machine.CPUs), 1)
	env := h.env()
	c.Identity = env.Identity
	restored := false
	if h.state != nil {
		if restored, err = h.restore(env); err != nil {
			return err
		}
	}
	if !restored {
		part, err := h.partition(env)
		if err != nil {
			return err
		}
		if h.node, err = runtime.New(*c, part); err != nil {
			return err
		}
	}
	if h.state != nil {
		h.spool.SweepOthers(h.state.ValuesBefore())
	}
	return nil
}

// env returns the environment of the program.
func (h *host) env() runtime.Env {
	o := h.options
	var data fs.FS
	if o.Data != "" {
		data = os.DirFS(o.Data)
	}
	return runtime.Env{Context: h.Ctx, Data: data, Config: o.Program, Seed: o.Seed, Class: h.program.Class, Rank: h.config.Rank,
		Random: rand.Reader, Identity: trust.NewIdentity(h.key)}
}

// partition makes the partition that the peer runs.
func (h *host) partition(env runtime.Env) (*runtime.Partition, error) {
	part, err := h.program.Partition(env)
	if err != nil {
		return nil, err
	}
	h.part = part
	h.stores, h.receives, h.upgrader.Own = part.Stores, receives(part), h.program.version(part.Schema)
	if h.feed, err = feed.New(part, h.options.In); err != nil {
		return nil, usageError{err}
	}
	if h.options.State != "" && h.feed.Any() {
		return nil, usageError{errors.New("-in does not go with -state: what has been given is not kept there")}
	}
	return part, nil
}

// restore makes the node from the last snapshot, or from the previous one if the last is damaged. It reports
// whether there was one.
func (h *host) restore(env runtime.Env) (bool, error) {
	last, err := h.state.Read(state.SnapshotFile)
	if err == nil && last == nil {
		h.state.DropPrevious() // the last one was moved away, to begin anew
		return false, nil
	}
	if err == nil {
		err = h.restoreFrom(state.SnapshotFile, last, env)
	}
	if !isDamaged(err) {
		return err == nil, err
	}
	previous, worse := h.state.Read(state.PreviousFile)
	if worse != nil || previous == nil {
		return false, fmt.Errorf("%w: put a backup in its place, or move it away to begin anew", err)
	}
	if h.spool, worse = h.newSpool(); worse != nil { // without the files that were opened in vain
		return false, worse
	}
	if worse = h.restoreFrom(state.PreviousFile, previous, env); worse != nil {
		return false, err
	}
	h.log.Error("the last snapshot is damaged: the peer goes back to the one before, and forgets what came after that", "err", err, "kept as", state.DamagedFile)
	return true, h.state.FallBack()
}

// isDamaged reports whether a snapshot is unusable because its bytes, or those of a value that it names, were
// changed.
func isDamaged(err error) bool {
	return errors.Is(err, state.ErrDamaged) || errors.Is(err, spool.ErrValue) || errors.Is(err, fs.ErrNotExist)
}

func (h *host) restoreFrom(name string, x *state.Snapshot, env runtime.Env) error {
	part, err := h.partition(env)
	if err != nil {
		return err
	}
	n, err := runtime.Restore(h.config, part, x.Bytes)
	if err != nil {
		return fmt.Errorf("%s: %w%s", h.state.Path(name), err, h.otherClass())
	}
	h.node, h.started = n, x.Begun
	return nil
}

// otherClass says that the state directory is that of another peer, or of one of another class, if it is.
func (h *host) otherClass() string {
	before, err := trust.ReadSelf(h.disk, h.options.State)
	switch {
	case err != nil:
		return ""
	case before.ID != h.config.Self:
		return fmt.Sprintf(": %s holds the state of a peer with another key: put that key back, or move the directory away to begin anew", h.options.State)
	case before.Class == h.program.Class:
		return ""
	}
	return fmt.Sprintf(": %s holds the state of class %s, and this peer is of class %s", h.options.State, before.Class, h.program.Class)
}
