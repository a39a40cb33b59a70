package peer

import (
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"io"
	"io/fs"
	"os"
	"time"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/cpu"
	"github.com/bbgen/bbgen/runtime/host/feed"
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
	c.Seed, c.Limits, c.Accept = o.Seed, h.limits, h.upgrader.inherit(h, accept)
	c.KernelLevel, c.BuildID = cpu.CurrentLevel().String(), h.program.BuildID
	if h.storm, err = newStorm(o.Chaos, o.Seed, c.Rank); err != nil {
		return usageError{err}
	}
	c.Resend = h.storm.resend()
	c.Durable, c.Heartbeat, c.Hold = h.state != nil, int64(h.times.ping), true
	c.Peers, c.Spool, c.Sum256 = h.members.Configs(), h.spool, sha256.Sum256
	env := h.env()
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
	return runtime.Env{Context: h.ctx, Data: data, Config: o.Program, Seed: o.Seed, Class: h.program.Class, Rank: h.config.Rank,
		Random: rand.Reader, Identity: trust.NewIdentity(h.key)}
}

// partition makes the partition that the peer runs.
func (h *host) partition(env runtime.Env) (*runtime.Partition, error) {
	part, err := h.program.Partition(env)
	if err != nil {
		return nil, err
	}
	h.part = part
	h.stores, h.receives, h.upgrader.layout = part.Stores, receives(part), part.Schema
	if h.feed, err = feed.New(part, h.options.In); err != nil {
		return nil, usageError{err}
	}
	if h.options.State != "" && h.feed.Any() {
		return nil, usageError{errors.New("-in does not go with -state: what has been given is not kept there")}
	}
	return part, nil
}
