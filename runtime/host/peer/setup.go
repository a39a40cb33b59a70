package peer

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/bbgen/bbgen/runtime/cpu"
	"github.com/bbgen/bbgen/runtime/host/disk"
	"github.com/bbgen/bbgen/runtime/host/internal/mailbox"
	"github.com/bbgen/bbgen/runtime/host/peer/internal/connection"
	"github.com/bbgen/bbgen/runtime/host/peer/internal/output"
	"github.com/bbgen/bbgen/runtime/host/peer/internal/state"
	"github.com/bbgen/bbgen/runtime/host/peer/trust"
	"github.com/bbgen/bbgen/runtime/wire"
)

// newHost makes a host from the options. It listens, but is not connected to any peer yet.
func newHost(p *Program, o *Options, stdout, stderr io.Writer) (*host, error) {
	log, err := newLog(stderr, o.Log, o.Level)
	if err != nil {
		return nil, usageError{err}
	}
	h := &host{Shared: connection.Shared{Mail: mailbox.New(), Began: time.Now()}, program: *p, options: o, log: log, disk: o.disk,
		links: map[wire.PeerID]*link{}, ready: make(chan struct{})}
	if h.disk == nil {
		h.disk = disk.OS
	}
	if h.Times, h.grace, err = o.times(); err != nil {
		return nil, usageError{err}
	}
	if err := setKernels(o.Kernels); err != nil {
		return nil, usageError{err}
	}
	h.fit()
	h.Ctx, h.cancel = context.WithCancel(context.Background())
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

// newObserver makes a host for a command that only looks at what a peer with these options has: it records nothing.
func newObserver(ctx context.Context, p *Program, o *Options) *host {
	return &host{program: *p, options: o, links: map[wire.PeerID]*link{}, disk: disk.OS, Shared: connection.Shared{Ctx: ctx}, looks: true}
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

// listen starts the transport, and records its addresses for the command invite.
func (h *host) listen(io.Writer) error {
	if h.program.Transport == nil {
		return errors.New("the program has no transport")
	}
	at, err := trust.ParseAddresses(h.options.Listen, &h.Limits.Wire)
	if err != nil {
		return usageError{err}
	}
	h.transport, err = h.program.Transport(TransportConfig{Key: h.key, Listen: at, Log: h.log,
		Handshakes: h.budget.greetings, HandshakeTimeout: h.Times.Hello, Admitted: h.isAdmitted})
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
		case <-h.Ctx.Done():
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
