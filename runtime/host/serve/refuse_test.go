package serve

import (
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/bbgen/bbgen/runtime/model"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/tensor/npz"
	"github.com/bbgen/bbgen/runtime/tensor/tensorio"
)

// echoing is a session whose only output is a value, whatever its input is.
type echoing struct {
	in, out tensor.Value
}

func (s *echoing) SetInput(_ int, v tensor.Value) error {
	s.in = v
	return nil
}
func (s *echoing) Run() error              { return nil }
func (s *echoing) Output(int) tensor.Value { return s.out }

// giving returns a program whose output is a value of some type, and the session that it runs.
func giving(v tensor.Value, port model.Port) (model.Program, *echoing) {
	p, s := adder(1, nil), &echoing{out: v}
	port.Name = "sum"
	p.Outputs = []model.Port{port}
	p.New = func() (model.Session, error) { return s, nil }
	return p, s
}

// scores is a type that formats for one tensor do not have.
var scores = model.Port{Type: "map(int64,float32)", Key: tensor.Int64, Elem: tensor.Float32}

// TestOutputsOfOtherKinds: an output that is no tensor can be JSON. For a client that wants another format it says so.
func TestOutputsOfOtherKinds(t *testing.T) {
	m := tensor.MapOf[int64, float32](nil, nil)
	p, _ := giving(m, scores)
	h := server(t, p)
	if w := call(h, request); w.Code != 200 || w.Body.String() != `{"outputs":{"sum":{}}}`+"\n" {
		t.Errorf("as JSON: got %d %s", w.Code, w.Body)
	}
	for _, mime := range []string{"application/x-protobuf", "application/x-npy", "application/x-npz"} {
		w := call(h, request, "Accept", mime)
		if w.Code != 406 || !strings.Contains(w.Body.String(), `output \"sum\"`) || !strings.Contains(w.Body.String(), "map(int64,float32)") {
			t.Errorf("%s: got %d %s, want 406 with the output and its type", mime, w.Code, w.Body)
		}
	}
	if w := call(h, request, "Accept", ";;, text/html, application/json"); w.Code != 200 {
		t.Errorf("an Accept header of which one item is no type: got %d %s", w.Code, w.Body)
	}
}

// TestMapAsProto: a model whose input is a map takes it as the message that ONNX has for it.
func TestMapAsProto(t *testing.T) {
	p, s := giving(tensor.Of([]float32{1}, 1), model.Port{Type: "float32[1]", Elem: tensor.Float32, Dims: []string{"1"}})
	p.Inputs[0] = model.Port{Name: "x", Type: scores.Type, Key: scores.Key, Elem: scores.Elem}
	h := server(t, p)
	m, err := decodeMap([]byte(`{"7":0.5,"-2":1}`), p.Inputs[0])
	if err != nil {
		t.Fatal(err)
	}
	b := tensorio.AppendMap(nil, "x", m)
	if w := call(h, string(b), "Content-Type", "application/x-protobuf", "Accept", mimeJSON); w.Code != 200 {
		t.Fatalf("got %d %s", w.Code, w.Body)
	}
	if text, err := appendValue(nil, s.in); err != nil || string(text) != `{"-2":1,"7":0.5}` {
		t.Errorf("the model is given %s, %v", text, err)
	}
	for n := 1; n < len(b); n++ {
		if w := call(h, string(b[:n]), "Content-Type", "application/x-protobuf", "Accept", mimeJSON); w.Code != 400 && w.Code != 200 {
			t.Errorf("%d bytes of %d: got %d %s", n, len(b), w.Code, w.Body)
		}
	}
}

// TestArchiveRefuses: an archive that ends early is refused, and so is one for a model that takes a map.
func TestArchiveRefuses(t *testing.T) {
	var b strings.Builder
	if err := npz.Write(&b, map[string]*tensor.Tensor{"x": tensor.Of([]float32{1, 2}, 1, 2)}); err != nil {
		t.Fatal(err)
	}
	h, err := newHandler(adder(1, nil), options{concurrency: 1, maxRequest: 1 << 20, maxBodies: 4 << 20, timeout: careful.timeout})
	if err != nil {
		t.Fatal(err)
	}
	if w := call(h, b.String(), "Content-Type", mimeNPZ); w.Code != 200 {
		t.Fatalf("got %d %s", w.Code, w.Body)
	}
	for n := range b.Len() {
		if w := call(h, b.String()[:n], "Content-Type", mimeNPZ); w.Code != 400 {
			t.Errorf("%d bytes of %d: got %d %s, want 400", n, b.Len(), w.Code, w.Body)
		}
	}
	x := model.Port{Name: "x", Type: scores.Type, Key: scores.Key, Elem: scores.Elem}
	if _, err := decodeNPZ([]byte(b.String()), []model.Port{x}); err == nil || err.Error() != `input "x" is map(int64,float32), want a tensor: send application/json` {
		t.Errorf("got %v", err)
	}
}

// TestLaterSessions: a model that can be loaded once and not again fails the requests that need another session, and the
// others are answered.
func TestLaterSessions(t *testing.T) {
	p := adder(1, nil)
	p.New = func() (model.Session, error) { return nil, errors.New("no room for the weights") }
	if _, err := newHandler(p, options{concurrency: 1}); err == nil || err.Error() != "no room for the weights" {
		t.Errorf("the first session: got %v", err)
	}
	started, goOn := make(chan bool), make(chan bool)
	made := 0
	inner := adder(1, func() error { started <- true; <-goOn; return nil }).New
	p.New = func() (model.Session, error) {
		if made++; made > 1 {
			return nil, errors.New("no room for the weights")
		}
		return inner()
	}
	h, err := newHandler(p, options{concurrency: 2, maxRequest: 200, maxBodies: 1 << 20, timeout: careful.timeout})
	if err != nil {
		t.Fatal(err)
	}
	first := make(chan int)
	go func() { first <- call(h, request).Code }()
	<-started
	for range 3 { // more than there are turns
		if w := call(h, request); w.Code != 500 || !strings.Contains(w.Body.String(), "no room for the weights") {
			t.Errorf("beside the first: got %d %s", w.Code, w.Body)
		}
	}
	close(goOn)
	if code := <-first; code != 200 {
		t.Errorf("the first: got %d", code)
	}
}

// TestBodyBreaksOff: a body whose client goes away before its end is refused, and its memory is released.
func TestBodyBreaksOff(t *testing.T) {
	budget := newBudget(1 << 20)
	h := &handler{opt: options{maxRequest: 1000, timeout: careful.timeout}}
	for _, c := range []struct {
		err  error
		code int
	}{{io.ErrUnexpectedEOF, 400}, {net.ErrClosed, 400}, {timedOut{}, 408}} {
		r, err := http.NewRequest("POST", "/run", io.MultiReader(strings.NewReader("{"), failing{c.err}))
		if err != nil {
			t.Fatal(err)
		}
		b := &body{budget: budget}
		if err := h.read(b, nopWriter{}, r); codeOf(err) != c.code {
			t.Errorf("%v: got %v, status %d, want %d", c.err, err, codeOf(err), c.code)
		}
		b.release()
	}
	if !budget.take(1 << 20) {
		t.Error("memory of requests is lost")
	}
}

// failing is a reader that fails.
type failing struct{ error }

func (f failing) Read([]byte) (int, error) { return 0, f.error }

// timedOut is the error of a deadline.
type timedOut struct{}

func (timedOut) Error() string   { return "i/o timeout" }
func (timedOut) Timeout() bool   { return true }
func (timedOut) Temporary() bool { return true }

// nopWriter is a response that nobody reads.
type nopWriter struct{}

func (nopWriter) Header() http.Header         { return http.Header{} }
func (nopWriter) Write(b []byte) (int, error) { return len(b), nil }
func (nopWriter) WriteHeader(int)             {}

// TestServeRefuses: settings with which the server cannot begin end the command with the reason.
func TestServeRefuses(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	broken := adder(1, nil)
	broken.New = func() (model.Session, error) { return nil, errors.New("no weights") }
	fixed := adder(1, nil)
	fixed.Inputs[0].Dims = []string{"4", "2"}
	images := adder(1, nil)
	images.MaxPixels = func(int) {}
	for _, c := range []struct {
		p          model.Program
		args, want string
	}{
		{adder(1, nil), "-listen " + l.Addr().String(), "address already in use"},
		{adder(1, nil), "-listen nowhere", "missing port"},
		{broken, "-listen 127.0.0.1:0", "no weights"},
		{fixed, "-listen 127.0.0.1:0 -batch 8", `-batch 8: "x" is float32[n,2], want a tensor whose first dimension is free`},
		{model.Program{New: adder(1, nil).New}, "-batch 8", "-batch 8: the model has no inputs"},
		{images, "-max-pixels -1", "-max-pixels is -1, want none below 0"},
		{adder(1, nil), "-max-pixels 1", "max-pixels"},
	} {
		if err := serve(c.p, strings.Fields(c.args), io.Discard); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %s", c.args, err, c.want)
		}
	}
	opt, err := parse(adder(1, nil), strings.Fields("-names A.example,b"), io.Discard)
	if err != nil || strings.Join(opt.names, " ") != "a.example b" {
		t.Errorf("-names: got %v, %v", opt.names, err)
	}
}
