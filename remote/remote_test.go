package remote_test

import (
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/bbgen/bbgen/remote"
	"github.com/bbgen/bbgen/remote/server"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/wire"
)

func newKey(t testing.TB) ed25519.PrivateKey {
	t.Helper()
	_, key, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

// everybody admits all clients.
func everybody(wire.PeerID, *wire.Hello) error { return nil }

// start runs a server during a test. At the end no memory may be in use, and no goroutine may run.
func start(t testing.TB, change ...func(c *server.Config)) *server.Server {
	t.Helper()
	nothingLeft(t)
	c := server.Config{Key: newKey(t), Listen: []wire.Address{"/ip4/127.0.0.1/tcp/0"}, Admit: everybody, Memory: 1 << 30, ClientMemory: 1 << 28}
	for _, f := range change {
		f(&c)
	}
	s, err := server.New(c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		if n := s.Used(); n != 0 {
			t.Errorf("the server uses %d bytes after its end", n)
		}
	})
	return s
}

// nothingLeft checks that a test ends with the number of goroutines with which it begins.
func nothingLeft(t testing.TB) {
	if looked[t.Name()] {
		return
	}
	looked[t.Name()] = true
	before := goroutines()
	t.Cleanup(func() {
		delete(looked, t.Name())
		eventually(t, "all goroutines have ended", func() bool { return goroutines() <= before })
	})
}

// goroutines returns the number of running goroutines, without the threads that kernels share.
func goroutines() int {
	b := make([]byte, 1<<20)
	n := 0
	for g := range strings.SplitSeq(string(b[:runtime.Stack(b, true)]), "\n\n") {
		if !strings.Contains(g, "cpu.(*pool).work") {
			n++
		}
	}
	return n
}

var looked = map[string]bool{}

// eventually waits until a condition is true.
func eventually(t testing.TB, what string, is func() bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); !is(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			b := make([]byte, 1<<20)
			t.Fatalf("not after a minute: %s\n%s", what, b[:runtime.Stack(b, true)])
		}
	}
}

func dial(t testing.TB, s *server.Server, change ...func(c *remote.Config)) *remote.Device {
	t.Helper()
	c := remote.Config{Address: string(s.Addresses()[0]), Key: newKey(t)}
	for _, f := range change {
		f(&c)
	}
	d, err := remote.Dial(context.Background(), c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.Close() })
	return d
}

func vec(x ...float32) *tensor.Tensor { return tensor.Of(x, len(x)) }

func mustRead(t testing.TB, x *remote.Tensor) *tensor.Tensor {
	t.Helper()
	y, err := x.Read(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return y
}

func TestDevice(t *testing.T) {
	ctx := context.Background()
	d := dial(t, start(t))
	x := d.Register(vec(1, 2, 3))
	y := d.Execute("Add", nil, x, d.Execute("Mul", nil, x, x))
	if got := mustRead(t, y); !tensor.Equal(got, vec(2, 6, 12)) {
		t.Errorf("got %v", got.Data)
	}
	top := d.Do(remote.Op{Name: "TopK", Outputs: 2, Attrs: remote.Attrs{"largest": false}}, x, d.Register(tensor.Of([]int64{2}, 1)))
	list, err := d.Read(ctx, top...)
	if err != nil {
		t.Fatal(err)
	}
	if !tensor.Equal(list[0], vec(1, 2)) || !tensor.Equal(list[1], tensor.Of([]int64{0, 1}, 2)) {
		t.Errorf("got %v and %v", list[0].Data, list[1].Data)
	}
	if err := d.Sync(ctx); err != nil {
		t.Error(err)
	}
}

// Tensors of every element type are unchanged after a round trip.
func TestElementTypes(t *testing.T) {
	d := dial(t, start(t))
	p, err := d.Describe(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	for dt := tensor.Float32; dt.Valid(); dt++ {
		for _, shape := range [][]int{{}, {0}, {3}, {2, 5}} {
			x := tensor.New(dt, shape...)
			for i := range x.Bytes() {
				x.Bytes()[i] = byte(i % 2)
			}
			if dt == tensor.String {
				for i := range tensor.Data[string](x) {
					tensor.Data[string](x)[i] = fmt.Sprint("é", i)
				}
			}
			if got := mustRead(t, d.Register(x)); !tensor.Equal(got, x) {
				t.Errorf("%v: got %v", x, got.Data)
			}
		}
		if !p.HasDType(dt) {
			t.Errorf("the server does not have %v", dt)
		}
	}
	if !p.HasOperator("Add") || p.HasOperator("Nonsense") || p.Memory != 1<<28 || p.Level == "" || p.Threads < 1 {
		t.Errorf("got %+v", p)
	}
}

// Errors contain the operator's name; the session continues.
func TestErrors(t *testing.T) {
	ctx := context.Background()
	d, other := dial(t, start(t)), dial(t, start(t))
	x := d.Register(vec(1, 2, 3))
	bad := d.Execute("Gather", nil, x, d.Register(tensor.Of([]int64{7}, 1)))
	after := d.Execute("Relu", nil, bad)
	for _, y := range []*remote.Tensor{bad, after} {
		_, err := y.Read(ctx)
		if told := (*remote.Error)(nil); !errors.As(err, &told) || told.Op != "Gather" || !strings.Contains(told.Text, `"Gather"`) {
			t.Errorf("got %v, want an error of Gather that names the node", err)
		}
	}
	if err := d.Sync(ctx); err == nil || !strings.HasPrefix(err.Error(), "Gather: ") {
		t.Errorf("Sync: got %v, want the first error", err)
	}
	if err := d.Sync(ctx); err != nil {
		t.Errorf("the second Sync: %v", err)
	}
	if got := mustRead(t, d.Execute("Neg", nil, x)); !tensor.Equal(got, vec(-1, -2, -3)) {
		t.Errorf("after an error: got %v", got.Data)
	}
	for want, y := range map[string]*remote.Tensor{
		"no such operator": d.Execute("Nonsense", nil, x),
		"Sofmax: no such operator; did you mean Softmax?": d.Execute("Sofmax", nil, x),
		"a chan int": d.Execute("Relu", remote.Attrs{"x": make(chan int)}, x),
		"it is on":   d.Execute("Relu", nil, other.Register(vec(1))),
	} {
		if _, err := y.Read(ctx); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
	for name, y := range map[string]*remote.Tensor{"Gather": d.Execute("Gather", nil, x, bad), "Sofmax": d.Execute("Sofmax", nil, x)} {
		if _, err := y.Read(ctx); err == nil || strings.Contains(err.Error(), name+": "+name+":") {
			t.Errorf("got %v, want an error that says %s once at its beginning", err, name)
		}
	}
}

func TestRelease(t *testing.T) {
	ctx := context.Background()
	s := start(t)
	d := dial(t, s)
	p, _ := d.Describe(ctx)
	was := p.Used
	x := d.Register(tensor.New(tensor.Float32, 1000))
	y := d.Execute("Neg", nil, x)
	x.Release() // the operation still uses it
	x.Release()
	if got := mustRead(t, y); got.Len() != 1000 {
		t.Errorf("got %v", got)
	}
	if _, err := x.Read(ctx); !errors.Is(err, remote.ErrTensor) {
		t.Errorf("got %v, want %v", err, remote.ErrTensor)
	}
	p, _ = d.Describe(ctx)
	if p.Used < was+4000 || p.Used > was+4000+4000+4096 { // the compiled operation may be kept
		t.Errorf("the client uses %d bytes, and %d before", p.Used, was)
	}
	y.Release()
	d.Close()
	eventually(t, "the memory is given back", func() bool { return s.Used() == 0 })
}

// A client cannot exceed its memory in any way; other clients are not affected.
func TestMemoryLimit(t *testing.T) {
	ctx := context.Background()
	s := start(t, func(c *server.Config) { c.ClientMemory = 1 << 20 })
	d, other := dial(t, s), dial(t, s)
	big := d.Register(tensor.New(tensor.Float32, 1<<20))
	wide := d.Execute("Expand", nil, d.Register(vec(1)), d.Register(tensor.Of([]int64{1 << 40}, 1)))
	for _, x := range []*remote.Tensor{big, d.Execute("Neg", nil, big), wide} {
		if _, err := x.Read(ctx); err == nil {
			t.Error("got no error")
		}
	}
	if _, err := big.Read(ctx); !errors.Is(err, remote.ErrMemory) {
		t.Errorf("got %v, want %v", err, remote.ErrMemory)
	}
	var list []*remote.Tensor
	for range 100 {
		list = append(list, d.Register(tensor.New(tensor.Float32, 10_000)))
	}
	if err := d.Sync(ctx); err == nil {
		t.Error("100 tensors of 40 kB fit into 1 MiB")
	}
	if n := s.Used(); n > 2<<20 {
		t.Errorf("the server uses %d bytes, want 1 MiB for each client at most", n)
	}
	if got := mustRead(t, other.Register(tensor.New(tensor.Float32, 100_000))); got.Len() != 100_000 {
		t.Errorf("another client: got %v", got)
	}
	remote.Release(list...)
	d.Sync(ctx)
	if got := mustRead(t, d.Register(vec(1))); got.Len() != 1 {
		t.Errorf("after the release: got %v", got)
	}
}

// Numbers of tensors are not valid in other sessions.
func TestIsolation(t *testing.T) {
	s := start(t)
	a, b := dial(t, s), dial(t, s)
	x, y := a.Register(vec(1)), b.Register(vec(2))
	if got := mustRead(t, x); !tensor.Equal(got, vec(1)) {
		t.Errorf("got %v", got.Data)
	}
	if got := mustRead(t, y); !tensor.Equal(got, vec(2)) {
		t.Errorf("got %v", got.Data)
	}
	a.Close()
	if got := mustRead(t, y); !tensor.Equal(got, vec(2)) {
		t.Errorf("after the other's end: got %v", got.Data)
	}
	if _, err := x.Read(context.Background()); !errors.Is(err, remote.ErrClosed) {
		t.Errorf("got %v, want %v", err, remote.ErrClosed)
	}
}

// Streams that depend on each other have the results of sequential execution.
func TestStreamsDependOnEachOther(t *testing.T) {
	d := dial(t, start(t))
	streams := make([]*remote.Stream, 8)
	for i := range streams {
		streams[i] = d.NewStream()
	}
	one := d.Register(vec(1))
	x := d.Register(vec(0))
	const rounds = 500
	for i := range rounds {
		y := streams[i%len(streams)].Execute("Add", nil, x, one)
		x.Release()
		x = y
	}
	if got := mustRead(t, x); !tensor.Equal(got, vec(rounds)) {
		t.Errorf("got %v, want %d", got.Data, rounds)
	}
}

// Several goroutines use one device concurrently.
func TestGoroutines(t *testing.T) {
	d := dial(t, start(t))
	errs := make(chan error)
	for g := range 8 {
		go func() {
			s := d.NewStream()
			for i := range 100 {
				x := s.Register(vec(float32(g), float32(i)))
				y := s.Execute("Add", nil, x, x)
				got, err := y.Read(context.Background())
				if err != nil || !tensor.Equal(got, vec(float32(2*g), float32(2*i))) {
					errs <- fmt.Errorf("got %v, %w", got, err)
					return
				}
				remote.Release(x, y)
			}
			errs <- nil
		}()
	}
	for range 8 {
		if err := <-errs; err != nil {
			t.Error(err)
		}
	}
}

// Calls without an answer do not wait, and none is lost.
func TestManyOperationsWithoutRead(t *testing.T) {
	d := dial(t, start(t))
	x, one := d.Register(vec(0)), d.Register(vec(1))
	for range 10_000 {
		y := d.Execute("Add", nil, x, one)
		x.Release()
		x = y
	}
	if got := mustRead(t, x); !tensor.Equal(got, vec(10_000)) {
		t.Errorf("got %v", got.Data)
	}
}

func TestSeed(t *testing.T) {
	d := dial(t, start(t))
	draw := func() *tensor.Tensor {
		return mustRead(t, d.Execute("RandomUniform", remote.Attrs{"shape": []int{16}}))
	}
	d.Seed(7)
	a, b := draw(), draw()
	d.Seed(7)
	if c := draw(); !tensor.Equal(a, c) {
		t.Errorf("the same seed draws %v and %v", a.Data, c.Data)
	}
	if tensor.Equal(a, b) {
		t.Errorf("both draws are %v", a.Data)
	}
	d.Seed(8)
	if c := draw(); tensor.Equal(a, c) {
		t.Errorf("another seed draws %v, too", c.Data)
	}
}

func TestWhoMayCome(t *testing.T) {
	known := newKey(t)
	s := start(t, func(c *server.Config) {
		c.Admit = func(id wire.PeerID, _ *wire.Hello) error {
			if mine, _ := wire.PeerIDOf(known.Public().(ed25519.PublicKey)); id != mine {
				return errors.New("who are you?")
			}
			return nil
		}
	})
	dial(t, s, func(c *remote.Config) { c.Key = known })
	at := string(s.Addresses()[0])
	_, err := remote.Dial(context.Background(), remote.Config{Address: at, Key: newKey(t)})
	if !errors.Is(err, remote.ErrRefused) || !strings.Contains(err.Error(), "who are you?") {
		t.Errorf("got %v, want %v", err, remote.ErrRefused)
	}
	another, _ := wire.PeerIDOf(newKey(t).Public().(ed25519.PublicKey))
	at = at[:strings.Index(at, "/p2p/")] + "/p2p/" + another.String()
	if _, err := remote.Dial(context.Background(), remote.Config{Address: at, Key: known}); err == nil || !strings.Contains(err.Error(), "another peer answers") {
		t.Errorf("got %v, want that another peer answers", err)
	}
}

func TestAddressOfTheEnvironment(t *testing.T) {
	s := start(t)
	key := newKey(t)
	name := "the server at " + at(s) // remains set until the process ends
	if err := remote.Name(name, at(s)); err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		"":                       "no server",
		"nonsense":               `BBGEN_REMOTE_ADDRESS: address "nonsense"`,
		"127.0.0.1:7070":         "does not say which server",
		"bbgen-join-x":           "the invitation is damaged",
		string(s.Addresses()[0]): "",
		" " + at(s) + "\n":       "",
		name:                     "",
	} {
		t.Setenv(remote.AddressVariable, text)
		d, err := remote.Dial(context.Background(), remote.Config{Key: key})
		if err == nil {
			d.Close()
		}
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%q: got %v, want %q", text, err, want)
		}
	}
	if err := remote.Name(name, strings.Replace(at(s), "127.0.0.1", "127.0.0.2", 1)); err == nil {
		t.Error("a name stands for two addresses")
	}
}

func at(s *server.Server) string { return string(s.Addresses()[0]) }

func TestSessionsAreLimited(t *testing.T) {
	s := start(t, func(c *server.Config) { c.Sessions = 2 })
	key := newKey(t)
	same := func(c *remote.Config) { c.Key = key }
	list := []*remote.Device{dial(t, s, same), dial(t, s, same)}
	if _, err := remote.Dial(context.Background(), remote.Config{Address: at(s), Key: key}); err == nil || !strings.Contains(err.Error(), "2 sessions") {
		t.Errorf("got %v, want that there are 2 sessions", err)
	}
	list[0].Close()
	eventually(t, "another session is let in", func() bool {
		d, err := remote.Dial(context.Background(), remote.Config{Address: at(s), Key: key})
		if err != nil {
			return false
		}
		d.Close()
		return true
	})
	if !slices.ContainsFunc(list, func(d *remote.Device) bool { return d.Sync(context.Background()) == nil }) {
		t.Error("the other session is gone")
	}
}
