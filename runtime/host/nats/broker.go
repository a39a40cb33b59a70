package nats

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"strconv"
	"strings"
	"sync"
	"time"

	natsgo "github.com/nats-io/nats.go"
)

// broker is the connection of this process to a broker, which carries all of its streams.
type broker struct {
	nc    *natsgo.Conn
	log   *slog.Logger
	inbox string // the subject prefix for messages to connections, followed by the connection's number

	mu    sync.Mutex
	conns map[uint64]*conn
	last  uint64 // the latest number
}

var (
	errBroker  = errors.New("the connection to the broker broke")
	errNobody  = errors.New("no listener at that address")
	errRefused = errors.New("the listener at that address has no room")
)

// The reconnection times for a lost broker. All peers of a fleet lose it at the same time.
const (
	reconnectWait   = 200 * time.Millisecond
	reconnectJitter = 500 * time.Millisecond
	probeTimeout    = time.Second
)

var connectTimeout = 5 * time.Second // more in a test

// connect opens the connection to a broker. A lost connection is opened again, but messages in transit are
// lost, and so are the streams.
func connect(at string, log *slog.Logger) (*broker, error) {
	b := &broker{log: log, inbox: "bbgen.of." + rand.Text() + ".", conns: map[uint64]*conn{}}
	who, err := credentials()
	if err != nil {
		return nil, err
	}
	o := append(who, natsgo.Name("bbgen"), natsgo.Timeout(connectTimeout), natsgo.MaxReconnects(-1), natsgo.ReconnectWait(reconnectWait),
		natsgo.ReconnectJitter(reconnectJitter, reconnectJitter), natsgo.ReconnectBufSize(-1), natsgo.PingInterval(pingInterval), natsgo.MaxPingsOutstanding(maxPingsOut), natsgo.NoEcho(),
		natsgo.SetCustomDialer(&dialer{net.Dialer{Timeout: connectTimeout}}),
		natsgo.DisconnectErrHandler(func(_ *natsgo.Conn, err error) { b.lost(err) }),
		natsgo.ReconnectHandler(func(*natsgo.Conn) { log.Info("the broker is back", "broker", at) }),
		natsgo.ErrorHandler(func(_ *natsgo.Conn, _ *natsgo.Subscription, err error) { b.trouble(err) }))
	if b.nc, err = natsgo.Connect("nats://"+at, o...); err != nil {
		return nil, fmt.Errorf("the broker at %s: %w", at, err)
	}
	if _, err := b.subscribe(b.inbox+"*", b.take); err != nil {
		b.nc.Close()
		return nil, fmt.Errorf("the broker at %s: %w", at, err)
	}
	return b, nil
}

// subscribe calls f with messages to a subject, if the broker permits it.
func (b *broker) subscribe(subject string, f natsgo.MsgHandler) (*natsgo.Subscription, error) {
	s, err := b.nc.Subscribe(subject, f)
	if err == nil {
		err = b.nc.FlushTimeout(connectTimeout)
	}
	if err == nil && errors.Is(b.nc.LastError(), natsgo.ErrPermissionViolation) {
		err = fmt.Errorf("%w: peers subscribe and publish to bbgen.>", b.nc.LastError())
	}
	return s, err
}

// lost ends all streams, as messages in transit are lost.
func (b *broker) lost(err error) {
	if err != nil {
		b.log.Warn("the broker is lost, and looked for", "err", err)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, c := range b.conns {
		c.fail(errBroker)
	}
}

// trouble handles refusals of the broker, and dropped messages.
func (b *broker) trouble(err error) {
	b.log.Warn("the broker", "err", err)
	if errors.Is(err, natsgo.ErrSlowConsumer) {
		b.lost(nil)
	}
}

// open makes one end of a connection, whose other end is not known yet.
func (b *broker) open() *conn {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.last++
	c := newConn(b, b.last, window(len(b.conns)))
	b.conns[b.last] = c
	return c
}

func (b *broker) forget(c *conn) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.conns, c.number)
}

func (b *broker) find(number uint64) *conn {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.conns[number]
}

// take passes a message to its connection.
func (b *broker) take(m *natsgo.Msg) {
	number, err := strconv.ParseUint(strings.TrimPrefix(m.Subject, b.inbox), 10, 64)
	if err != nil {
		return
	}
	if c := b.find(number); c != nil {
		c.take(m)
	} else if m.Reply != "" && len(m.Data) > 0 && m.Data[0] != kindEnd {
		b.nc.Publish(m.Reply, []byte{kindEnd})
	}
}

// dial connects to the listener of a name.
func (b *broker) dial(ctx context.Context, name string) (*conn, error) {
	c := b.open()
	if err := b.nc.PublishRequest(subject(name), c.address(), opening(kindOpen, c.window)); err != nil {
		c.Close()
		return nil, err
	}
	if err := c.awaitAnswer(ctx); err != nil {
		c.Close()
		return nil, fmt.Errorf("%s at the broker: %w", name, err)
	}
	return c, nil
}

func (b *broker) close() {
	b.nc.Close()
	b.lost(nil)
}
