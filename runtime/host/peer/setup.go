package peer

import (
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/bbgen/bbgen/runtime"
	"github.com/bbgen/bbgen/runtime/cpu"
	"github.com/bbgen/bbgen/runtime/host/disk"
	"github.com/bbgen/bbgen/runtime/host/feed"
	"github.com/bbgen/bbgen/runtime/host/peer/internal/output"
	"github.com/bbgen/bbgen/runtime/host/peer/internal/state"
	"github.com/bbgen/bbgen/runtime/host/peer/status"
	"github.com/bbgen/bbgen/runtime/host/peer/trust"
	"github.com/bbgen/bbgen/runtime/wire"
)

// newHost makes a host from the options. It listens, but is not connected to any peer yet.
func newHost(p *Program, o *Options, stdout, stderr io.Writer) (*host, error) {
	log, err := newLog(stderr, o.Log, o.Level)
	if err != nil {
		return nil, usageError{err}
	}
	h := &host{program: *p, options: o, log: log, disk: o.disk,
		mail: newMailbox(), links: map[wire.PeerID]*link{}, began: time.Now(), ready: make(chan struct{})}
	if h.disk == nil {
		h.disk = disk.OS
	}
	if h.times, err = o.times(); err != nil {
		return nil, usageError{err}
	}
	if err := setKernels(o.Kernels); err != nil {
		return nil, usageError{err}
	}
	h.fit()
	h.ctx, h.cancel = context.WithCancel(context.Background())
	steps := []func(stdout io.Writer) error{h.openState, h.identity, h.openTraces, h.makeNode, h.listen, h.openPages}
	for _, step := range steps {
		if err := step(stdout); err != nil {
			h.giveUp()
			return nil, err
		}
	}
	h.log.Info("started", "program", p.Name, "peer", h.config.Self, "class", p.Class, "rank", h.config.Rank, "fingerprint", fmt.Sprintf("%x", p.Fingerprint),
		"build", p.BuildID, "kernels", h.config.KernelLevel, "addresses", h.transport.Addresses())
	h.statusLine("started")
	if len(h.links) == 0 && len(o.Join) == 0 && len(h.transport.Addresses()) == 0 {
		h.log.Warn("no other peer is known, and none can reach this one: use -join with an invitation, -peers, or -listen")
	}
	return h, nil
}

// giveUp releases the resources of a host that has ended, or does not start.
func (h *host) giveUp() {
	h.cancel()
	h.endTraces(0)
	if h.pages != nil {
		h.pages.Close()
	}
	if h.transport != nil {
		h.transport.Close()
	}
	if h.state != nil {
		h.state.Close()
	}
}

// setKernels sets the level of the kernels, which the machine must support.
func setKernels(level string) error {
	if level == "" {
		return nil
	}
	var names []string
	for _, l := range cpu.Levels() {
		if l.String() == level {
			cpu.SetLevel(l)
			return nil
		}
		names = append(names, l.String())
	}
	return fmt.Errorf("-kernels %s: this machine has %s", level, strings.Join(names, ", "))
}

func (h *host) openState(stdout io.Writer) (err error) {
	if h.options.State != "" {
		if h.state, err = state.Open(h.disk, h.options.State); err != nil {
			return err
		}
	}
	if h.spool, err = h.newSpool(); err != nil {
		return err
	}
	if h.out, err = output.OpenFiles(h.disk, h.options.Out, h.log); err != nil {
		return fmt.Errorf("-out: %w", err)
	}
	if h.events, err = output.OpenEvents(h.options.Events, stdout, h.out, h.log); err != nil {
		return fmt.Errorf("-events: %w", err)
	}
	return nil
}

// identity reads the key of the peer and the list of members.
func (h *host) identity(io.Writer) error {
	key, err := h.options.key()
	if err != nil {
		return err
	}
	h.config.Self = trust.IDOf(key)
	h.key = key
	if h.members, err = trust.NewMembers(h.config.Self, h.options.Peers, h.disk, h.options.State, &h.limits.Wire); err != nil {
		return err
	}
	if h.looks {
		h.members.KeepNothing()
	}
	if err := h.findRank(); err != nil {
		return err
	}
	if err := h.findData(); err != nil {
		return err
	}
	for _, x := range h.members.List() {
		if err := h.program.checkClass(x.Class); err != nil {
			return fmt.Errorf("peer %v: %w", x.ID, err)
		}
		l := h.linkOf(x.Config())
		l.proof = h.proofs[l.ID]
	}
	return nil
}

// findRank determines the rank of the peer: from -rank, an invitation, or its last run.
func (h *host) findRank() (err error) {
	h.config.Rank = -1
	for _, s := range h.options.Join {
		if err := h.join(s); err != nil {
			return err
		}
	}
	switch {
	case h.options.Rank >= 0:
		h.config.Rank = h.options.Rank
	case h.config.Rank < 0:
		var before *trust.Self
		if before, err = trust.Kept(h.disk, h.options.State, h.config.Self, h.program.Class); err == nil {
			h.config.Rank = before.Rank
		}
	}
	return err
}

// findData determines the data folder of the program: from -data, or the last run.
func (h *host) findData() error {
	dir, from := h.options.Data, ""
	if dir == "" {
		before, err := trust.Kept(h.disk, h.options.State, h.config.Self, h.program.Class)
		if err != nil && h.options.Rank < 0 {
			return err
		}
		if err == nil {
			dir, from = before.Data, ", which the state directory names: say where it is now"
		}
	}
	if dir == "" {
		return nil
	}
	if s, err := os.Stat(dir); err != nil || !s.IsDir() {
		return fmt.Errorf("-data %s: there is no such folder%s", dir, from)
	}
	abs, err := filepath.Abs(dir)
	h.options.Data = abs
	return err
}

// key reads the peer's key. Without a key file each start has a new key.
func (o *Options) key() (ed25519.PrivateKey, error) {
	switch {
	case o.Key != "":
		key, err := trust.ReadKey(o.Key)
		if errors.Is(err, fs.ErrNotExist) {
			err = fmt.Errorf("-key: %w; the command keygen makes one", err)
		}
		return key, err
	case o.State != "":
		return trust.ReadOrMakeKey(filepath.Join(o.State, state.KeyFile))
	}
	_, key, err := ed25519.GenerateKey(nil)
	return key, err
}

// join uses an invitation: its issuer becomes a member, identified by its key.
func (h *host) join(s string) error {
	if !trust.IsToken(s) {
		return h.joinAddress(s)
	}
	t, err := trust.ParseToken(s, &h.limits.Wire)
	if err != nil {
		return fmt.Errorf("-join: %w", err)
	}
	if t.Class != h.program.Class {
		return fmt.Errorf("-join: the invitation is for a %s, this is a %s", t.Class, h.program.Class)
	}
	if r := h.options.Rank; r >= 0 && r != t.Rank {
		return fmt.Errorf("-join: the invitation is for rank %d, -rank says %d", t.Rank, r)
	}
	h.config.Rank = t.Rank
	if h.proofs == nil {
		h.proofs = map[wire.PeerID][]byte{}
	}
	h.proofs[t.Issuer.ID] = t.Proof(h.config.Self)
	t.Issuer.Issuer = true
	return h.members.Add(t.Issuer)
}

// joinAddress records an address without an invitation. Its peer is unknown unless an earlier start has pinned
// its key.
func (h *host) joinAddress(s string) error {
	a, err := trust.ParseAddress(s, &h.limits.Wire)
	if err != nil {
		return fmt.Errorf("-join: %w", err)
	}
	if !h.options.TrustFirst {
		return fmt.Errorf("-join %s: the peer there could be any: use an invitation (see the command invite), or give -trust-first", s)
	}
	pinned := func(m trust.Member) bool { return slices.Contains(m.Addresses, a) }
	if !slices.ContainsFunc(h.members.List(), pinned) {
		h.strangers = append(h.strangers, a)
	}
	return nil
}

// makeNode makes the partition and the node that runs it, from the snapshot if there is one.
func (h *host) makeNode(io.Writer) error {
	o := h.options
	c := &h.config
	accept, err := o.fingerprint()
	if err != nil {
		return usageError{err}
	}
	c.Incarnation = uint64(time.Now().UnixNano())
	c.Seed, c.Limits, c.Accept = o.Seed, h.limits, accept
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

// listen starts the transport, and records its addresses for the command invite.
func (h *host) listen(io.Writer) error {
	if h.program.Transport == nil {
		return errors.New("the program has no transport")
	}
	at, err := trust.ParseAddresses(h.options.Listen, &h.limits.Wire)
	if err != nil {
		return usageError{err}
	}
	h.transport, err = h.program.Transport(TransportConfig{Key: h.key, Listen: at, Log: h.log,
		Handshakes: h.times.greetings, HandshakeTimeout: h.times.hello, Admitted: h.isAdmitted})
	if err != nil {
		return err
	}
	if err := h.here(); err != nil || h.state == nil {
		return err
	}
	err = trust.WriteSelf(h.disk, h.options.State, h.self())
	if mayPass(err) {
		h.notSaved(err)
		go h.keepSelf()
		return nil
	}
	return err
}

// keepSelf writes the data for the command invite as soon as that is possible.
func (h *host) keepSelf() {
	self := h.self()
	for retries := 0; ; retries++ {
		select {
		case <-time.After(retryIn(retries)):
		case <-h.ctx.Done():
			return
		}
		if trust.WriteSelf(h.disk, h.options.State, self) == nil {
			return
		}
	}
}

// self returns the data for the command invite.
func (h *host) self() *trust.Self {
	s := &trust.Self{Member: trust.Member{ID: h.config.Self, Class: h.program.Class, Rank: h.config.Rank, Addresses: h.transport.Addresses()}, Data: h.options.Data}
	for _, x := range h.options.Peers {
		s.Configured = append(s.Configured, trust.Ranked{Class: x.Class, Rank: x.Rank})
	}
	return s
}

// here tells the node its own addresses, which components send to others.
func (h *host) here() error {
	var at []string
	for _, a := range h.transport.Addresses() {
		at = append(at, string(a))
	}
	return h.node.InsertAddress(h.config.Self, at...)
}

// status returns the status of the peer.
func (h *host) status() *status.Status {
	stats := h.node.Stats()
	s := &status.Status{ID: h.config.Self.String(), State: "waiting", Completed: h.round, Latest: h.latest, Live: stats.Live, Outbound: stats.Outbound, Addresses: h.transport.Addresses()}
	switch {
	case h.stopping:
		s.State = "stopping"
	case h.running && h.started:
		s.State = "running"
	}
	for _, l := range h.sorted() {
		s.In += l.received.Load()
		s.Out += l.sent.Load()
		if !h.node.IsUp(l.ID) {
			s.Missing = append(s.Missing, h.nameOf(l.ID))
		}
	}
	if h.pages != nil {
		s.Pages = h.pagesURL()
	}
	s.Waits, s.Unsaved = h.waits(longWait), h.unsaved
	s.Idle, s.Ungiven = s.State == "running" && h.node.IsIdle() && h.node.UnreportedResults() == 0, h.ungiven
	s.Rounds, s.Awaited = h.progress.ended, h.awaits()
	s.Fed, s.Unanswered = h.started && h.feed.Any() && h.feed.Over(), h.feed.Unanswered()
	return s
}

const (
	longWait = 5 * time.Second // longer waits are reported
	maxWaits = 8               // how many of them
)

// waits describes the values for which executions have waited for at least that time.
func (h *host) waits(least time.Duration) (list []string) {
	now := h.now()
	h.node.Waits(func(w *runtime.Wait) bool {
		if now-w.Since >= int64(least) {
			list = append(list, w.Text(now, h.nameOf))
		}
		return len(list) < maxWaits
	})
	return list
}
