package remote

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/bbgen/bbgen/remote/protocol"
	"github.com/bbgen/bbgen/runtime/host/peer"
	"github.com/bbgen/bbgen/runtime/tensor"
)

const (
	pingEach   = 3 * time.Second
	silence    = 3 * pingEach           // after which the server is considered dead
	firstPause = 20 * time.Millisecond  // before the second attempt to dial; doubled each time
	maxPause   = 500 * time.Millisecond // up to this
)

// open dials the server and begins or resumes the session. The server has received all messages up to acked.
func (d *Device) open(ctx context.Context) (conn *protocol.Conn, acked uint64, err error) {
	stream, err := d.transport.Dial(ctx, d.target.id, d.target.at, protocol.Stream)
	if err != nil {
		return nil, 0, err
	}
	defer func() {
		if err != nil {
			stream.Close()
		}
	}()
	defer context.AfterFunc(ctx, func() { stream.Close() })()
	var proof []byte
	if d.target.token != nil {
		proof = d.target.token.Proof(peer.IDOf(d.config.Key))
	}
	if conn, err = protocol.Greet(stream, protocol.ClientClass, proof, &d.limits); err != nil {
		return nil, 0, err
	}
	if err := conn.Send(&protocol.Message{Kind: protocol.Open, Blob: d.session, Number: uint64(d.config.Device), Ack: d.link.Have()}); err != nil {
		return nil, 0, err
	}
	conn.SetIdle(silence)
	m, err := conn.Receive()
	switch {
	case err != nil:
		return nil, 0, err
	case m.Failure != nil:
		return nil, 0, errorOf(m.Failure)
	case m.Kind != protocol.Opened || len(m.Blob) == 0 || m.Bytes > 0:
		return nil, 0, fmt.Errorf("%w: the server answers with kind %d, want Opened", protocol.ErrMalformed, m.Kind)
	case m.Number != uint64(d.config.Device): // of an earlier version
		return nil, 0, errorOf(&protocol.Failure{Op: "open", Text: fmt.Sprintf("the server has one device, want device %d", d.config.Device)})
	}
	d.session = m.Blob
	return conn, m.Ack, nil
}

// run reads the server's messages, on one connection after the other.
func (d *Device) run(conn *protocol.Conn, acked uint64) {
	for {
		err := d.serve(conn, acked)
		if d.ctx.Err() != nil {
			return
		}
		d.config.Log.Info("connection lost", "server", d.target.id, "err", err)
		if errors.Is(err, protocol.ErrMalformed) {
			d.fail(lost(err))
			return
		}
		if conn, acked, err = d.reopen(); err != nil {
			d.fail(lost(err))
			return
		}
	}
}

// serve reads one connection until it ends.
func (d *Device) serve(conn *protocol.Conn, acked uint64) error {
	defer conn.Close()
	defer d.link.Detach(conn)
	defer context.AfterFunc(d.ctx, func() { conn.Close() })()
	if err := d.link.Attach(conn, acked); err != nil {
		return err
	}
	ping := time.NewTicker(pingEach)
	defer ping.Stop()
	over := make(chan struct{})
	defer close(over)
	d.loop.Go(func() {
		for {
			select {
			case <-ping.C:
				d.link.Tell(&protocol.Message{Kind: protocol.Ping})
			case <-over:
				return
			}
		}
	})
	for {
		m, err := conn.Receive()
		if err != nil {
			return err
		}
		if err := d.receive(conn, m); err != nil {
			return err
		}
	}
}

// receive handles a message of the server.
func (d *Device) receive(conn *protocol.Conn, m *protocol.Message) error {
	fresh, err := d.link.Fresh(m)
	if err != nil {
		return err
	}
	if !fresh {
		return conn.Skip(m.Bytes)
	}
	d.received.Add(m.Bytes)
	r := reply{m: m}
	for i := range m.Tensors {
		t, err := readTensor(conn, &m.Tensors[i])
		if err != nil {
			return err
		}
		r.tensors = append(r.tensors, t)
	}
	d.link.Took(m)
	if m.Kind == protocol.Answer {
		d.deliver(r)
	}
	return nil
}

// readTensor reads a tensor, if its size is allowed here.
func readTensor(conn *protocol.Conn, typ *protocol.Type) (*tensor.Tensor, error) {
	if err := tensor.CheckSize(typ.DType.Size(), typ.Shape); err != nil {
		return nil, err
	}
	return typ.ReadElements(conn.Fill)
}

// reopen dials until the server answers, or Config.Patience is exceeded.
func (d *Device) reopen() (*protocol.Conn, uint64, error) {
	ctx, cancel := context.WithTimeout(d.ctx, d.config.Patience)
	defer cancel()
	for pause := firstPause; ; pause = min(2*pause, maxPause) {
		conn, acked, err := d.open(ctx)
		if err == nil || final(err) {
			return conn, acked, err
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return nil, 0, fmt.Errorf("the server cannot be reached for %v: %w", d.config.Patience, err)
		}
	}
}

// final reports whether dialing again would not help.
func final(err error) bool {
	var told *Error
	return errors.As(err, &told) || errors.Is(err, ErrRefused) && !errors.Is(err, io.EOF) || errors.Is(err, peer.ErrWrongKey)
}
