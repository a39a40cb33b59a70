package serve

import (
	"errors"
	"flag"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/bbgen/bbgen/runtime/model"
	"github.com/bbgen/bbgen/runtime/tensor"
	"github.com/bbgen/bbgen/runtime/tensor/npz"
	"github.com/bbgen/bbgen/runtime/tensor/tensorio"
	"github.com/bbgen/bbgen/runtime/values"
)

// adder returns a program that adds two vectors, the second of which may be absent. before is called in each
// run.
func adder(inputs int, before func() error) model.Program {
	vector := func(name string) model.Port {
		return model.Port{Name: name, Type: "float32[n,2]", Elem: tensor.Float32, Dims: []string{"n", "2"}}
	}
	return model.Program{
		Name: "adder", Source: "adder.onnx", Weights: 12,
		Inputs:  []model.Port{vector("x"), vector("y")}[:inputs],
		Outputs: []model.Port{vector("sum")},
		New:     func() (model.Session, error) { return &adding{before: before}, nil },
	}
}

type adding struct {
	before func() error
	in     [2][]float32
	rows   int
	sum    []float32
}

func (s *adding) SetInput(i int, v tensor.Value) error {
	return values.Assign(&s.in[i], v, values.Varies(&s.rows), values.Fixed(2))
}

func (s *adding) Run() error {
	if s.before != nil {
		if err := s.before(); err != nil {
			return err
		}
	}
	s.sum = append(s.sum[:0], s.in[0]...)
	for i, y := range s.in[1] {
		s.sum[i] += y
	}
	return nil
}

func (s *adding) Output(int) tensor.Value { return tensor.Of(s.sum, s.rows, 2) }

// server returns a handler for p that accepts only small requests.
func server(t *testing.T, p model.Program) http.Handler {
	t.Helper()
	h, err := newHandler(p, options{concurrency: 1, maxRequest: 200, maxBodies: 1 << 20, timeout: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// call posts a body to /run; header has alternating names and values.
func call(h http.Handler, body string, header ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest("POST", "/run", strings.NewReader(body))
	r.Header.Set("Content-Type", mimeJSON)
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

func TestRunJSON(t *testing.T) {
	h := server(t, adder(2, nil))
	for _, tt := range []struct{ body, want string }{
		{
			`{"inputs": {"x": {"shape": [1, 2], "data": [1, 2]}, "y": [[0.5, "Infinity"]]}}`,
			`{"outputs":{"sum":{"dtype":"float32","shape":[1,2],"data":[1.5,"Infinity"]}}}`,
		},
		{
			`{"inputs": {"x": {"dtype": "float32", "data": [[1, 2], [3, 4]]}, "y": {"shape": [2,2], "data": [[1,1],[1,1]]}}}`,
			`{"outputs":{"sum":{"dtype":"float32","shape":[2,2],"data":[2,3,4,5]}}}`,
		},
		{
			`{"inputs": {"x": {"shape": [0, 2], "data": []}, "y": {"shape": [0, 2], "data": []}}}`,
			`{"outputs":{"sum":{"dtype":"float32","shape":[0,2],"data":[]}}}`,
		},
	} {
		w := call(h, tt.body)
		if got := w.Body.String(); w.Code != 200 || got != tt.want+"\n" {
			t.Errorf("%s\n got %d %s\nwant %s", tt.body, w.Code, got, tt.want)
		}
	}
}

func TestRunBadInput(t *testing.T) {
	h := server(t, adder(2, nil))
	const y = `, "y": [[1, 2]]}}`
	for _, tt := range []struct{ body, want string }{
		{``, `json: unexpected EOF; want {\"inputs\": {NAME: VALUE}} with x, y`},
		{`{"inputs": {}} 1`, `json: more than one value; want {\"inputs\": {NAME: VALUE}} with x, y`},
		{`{"input": {}}`, `json: unknown field \"input\"; want {\"inputs\": {NAME: VALUE}} with x, y`},
		{`[]`, `json: found array, want an object; want {\"inputs\": {NAME: VALUE}} with x, y`},
		{`{"inputs": 5}`, `json: found number inputs, want an object; want {\"inputs\": {NAME: VALUE}} with x, y`},
		{`{"inputs": {"x": {"shape": [1.5], "data": [1]}` + y, `input \"x\": json: found number 1.5 shape, want a whole number`},
		{`{"inputs": {"x": [[1, 2]]}}`, `input \"y\" is missing, want float32[n,2]`},
		{`{"inputs": {"x": [[1, 2]], "z": 1` + y, `there is no input \"z\"; there are: x, y`},
		{`{"inputs": {"x": [1, 2]` + y, `input \"x\": found float32[2], want float32[n,2]`},
		{`{"inputs": {"x": [[1, 2, 3]]` + y, `input \"x\": found float32[1,3], want float32[n,2]`},
		{`{"inputs": {"x": [[1, 2], [3, 4]]` + y, `input \"y\": found float32[1,2] for float32[n,2], but n is 2 in input \"x\"`},
		{`{"inputs": {"x": [[1, 2], [3]]` + y, `input \"x\": a list that ends before element 3 has length 1, want 2 as the first at its depth`},
		{`{"inputs": {"x": [[1, "a"]]` + y, `input \"x\": element 1 is \"a\", want float32`},
		{`{"inputs": {"x": [[1e99, 2]]` + y, `input \"x\": element 0 is 1e99, want float32`},
		{`{"inputs": {"x": null` + y, `input \"x\": element 0 is null, want float32`},
		{`{"inputs": {"x": {"shape": [1, 2]}` + y, `input \"x\": has no \"data\"`},
		{`{"inputs": {"x": {"shape": [2, 2], "data": [1, 2]}` + y, `input \"x\": data is float32[2], want 4 elements for float32[2,2]`},
		{`{"inputs": {"x": {"shape": [-1, 2], "data": []}` + y, `input \"x\": shape [-1 2] has dimension -1 at 0, want none below 0`},
		{`{"inputs": {"x": {"dtype": "int8", "data": [[1, 2]]}` + y, `input \"x\": dtype is \"int8\", want \"float32\"`},
	} {
		w := call(h, tt.body)
		if got, want := w.Body.String(), `{"error":"`+tt.want+`"}`+"\n"; w.Code != 400 || got != want {
			t.Errorf("%s\n got %d %swant 400 %s", tt.body, w.Code, got, want)
		}
	}
	// The request does not limit an axis of a tensor without elements.
	p := adder(1, nil)
	p.Inputs[0].Dims = []string{"n", "m"}
	want := "want at most 65536 along n of a tensor without elements"
	if w := call(server(t, p), `{"inputs": {"x": {"shape": [65537, 0], "data": []}}}`); w.Code != 400 || !strings.Contains(w.Body.String(), want) {
		t.Errorf("got %d %s, want 400 %s", w.Code, w.Body, want)
	}
}

func TestRunRawTensors(t *testing.T) {
	h := server(t, adder(1, nil))
	x := tensor.Of([]float32{1, 2}, 1, 2)
	npy, err := tensorio.AppendNPY(nil, x)
	if err != nil {
		t.Fatal(err)
	}
	proto := tensorio.AppendTensor(nil, "sum", x)
	const asJSON = `{"outputs":{"sum":{"dtype":"float32","shape":[1,2],"data":[1,2]}}}` + "\n"
	for _, tt := range []struct{ contentType, body, accept, wantType, want string }{
		{"application/x-protobuf", string(proto), "", "application/x-protobuf", string(proto)},
		{"application/x-protobuf", string(proto), "application/x-npy", "application/x-npy", string(npy)},
		{"application/x-npy", string(npy), "*/*", "application/x-npy", string(npy)},
		{"application/x-npy", string(npy), "text/html, application/json;q=0.9", mimeJSON, asJSON},
		{"application/json; charset=utf-8", `{"inputs":{"x":[[1,2]]}}`, "*/*", mimeJSON, asJSON},
	} {
		w := call(h, tt.body, "Content-Type", tt.contentType, "Accept", tt.accept)
		if w.Code != 200 || w.Header().Get("Content-Type") != tt.wantType || w.Body.String() != tt.want {
			t.Errorf("%s for %q: got %d %s %q, want %s %q", tt.contentType, tt.accept, w.Code, w.Header().Get("Content-Type"), w.Body, tt.wantType, tt.want)
		}
	}
}

// TestNPZ: archives hold several inputs and outputs; a client that sends an array and accepts anything gets an
// array.
func TestNPZ(t *testing.T) {
	x := tensor.Of([]float32{1, 2}, 1, 2)
	archive := func(arrays map[string]*tensor.Tensor) string {
		var b strings.Builder
		if err := npz.Write(&b, arrays); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	two := adder(2, nil)
	sum := two.Outputs[0]
	more := adder(1, nil)
	more.Outputs = append(more.Outputs, sum)
	more.Outputs[1].Name = "again"
	one, _ := tensorio.AppendNPY(nil, x)
	for _, tt := range []struct {
		p                         model.Program
		contentType, body, accept string
		wantType, want            string
	}{
		{two, mimeNPZ, archive(map[string]*tensor.Tensor{"x": x, "y": x}), "", mimeNPZ, archive(map[string]*tensor.Tensor{"sum": tensor.Of([]float32{2, 4}, 1, 2)})},
		{more, "application/x-npy", string(one), "*/*", mimeNPZ, archive(map[string]*tensor.Tensor{"sum": x, "again": x})},
		{two, mimeNPZ, archive(map[string]*tensor.Tensor{"x": x}), "", mimeJSON, `{"error":"input \"y\" is missing, want an array float32[n,2]"}` + "\n"},
		{two, mimeNPZ, archive(map[string]*tensor.Tensor{"x": x, "y": x, "z": x}), "", mimeJSON, `{"error":"there is no input \"z\"; there are: x, y"}` + "\n"},
		{two, mimeNPZ, "PK", "", mimeJSON, `{"error":"npz: zip: not a valid zip file"}` + "\n"},
	} {
		h, err := newHandler(tt.p, options{concurrency: 1, maxRequest: 10000, maxBodies: 1 << 20, timeout: time.Minute})
		if err != nil {
			t.Fatal(err)
		}
		w := call(h, tt.body, "Content-Type", tt.contentType, "Accept", tt.accept)
		if w.Header().Get("Content-Type") != tt.wantType || w.Body.String() != tt.want {
			t.Errorf("got %d %s %q, want %s %q", w.Code, w.Header().Get("Content-Type"), w.Body, tt.wantType, tt.want)
		}
	}
}

func TestNegotiateRefuses(t *testing.T) {
	one, two := server(t, adder(1, nil)), server(t, adder(2, nil))
	for _, tt := range []struct {
		h                   http.Handler
		contentType, accept string
		code                int
		want                string
	}{
		{one, "text/plain", "", 415, `Content-Type is \"text/plain\", want application/json, application/x-protobuf, application/x-npy, application/x-npz`},
		{two, "text/plain", "", 415, `Content-Type is \"text/plain\", want application/json, application/x-npz`},
		{two, "application/x-npy", "", 415, `application/x-npy holds one tensor, the model has 2 inputs: send application/json`},
		{one, mimeJSON, "text/html", 406, `Accept is \"text/html\", can give application/json, application/x-protobuf, application/x-npy, application/x-npz`},
	} {
		w := call(tt.h, "", "Content-Type", tt.contentType, "Accept", tt.accept)
		if got, want := w.Body.String(), `{"error":"`+tt.want+`"}`+"\n"; w.Code != tt.code || got != want {
			t.Errorf("got %d %swant %d %s", w.Code, got, tt.code, want)
		}
	}
}

func TestRequestTooLarge(t *testing.T) {
	h := server(t, adder(1, nil))
	body := strings.Repeat(" ", 200) + "{}"
	want := `{"error":"the request is larger than 200: start the server with a higher -max-request"}` + "\n"
	if w := call(h, body); w.Code != 413 || w.Body.String() != want {
		t.Errorf("announced: got %d %swant %s", w.Code, w.Body, want)
	}
	r := httptest.NewRequest("POST", "/run", io.MultiReader(strings.NewReader(body))) // of unknown length
	r.Header.Set("Content-Type", mimeJSON)
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	if w.Code != 413 || w.Body.String() != want {
		t.Errorf("found: got %d %swant %s", w.Code, w.Body, want)
	}
}

const request = `{"inputs":{"x":[[1,2]]}}`

func TestBusy(t *testing.T) {
	started, goOn := make(chan bool), make(chan bool)
	h := server(t, adder(1, func() error { started <- true; <-goOn; return nil }))
	var wg sync.WaitGroup
	wg.Go(func() {
		if w := call(h, request); w.Code != 200 {
			t.Errorf("first request: got %d %s", w.Code, w.Body)
		}
	})
	<-started
	if w := call(h, request); w.Code != 503 || w.Header().Get("Retry-After") != "1" {
		t.Errorf("second request: got %d, Retry-After %q, want 503, 1", w.Code, w.Header().Get("Retry-After"))
	}
	close(goOn)
	wg.Wait()
	go func() { <-started }()
	if w := call(h, request); w.Code != 200 {
		t.Errorf("request after the first has its answer: got %d", w.Code)
	}
}

func TestTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := server(t, adder(1, func() error { time.Sleep(2 * time.Minute); return nil }))
		want := `{"error":"the request has not finished after 1m0s, its time in the queue included: start the server with a longer -timeout or a higher -concurrency"}` + "\n"
		if w := call(h, request); w.Code != 504 || w.Body.String() != want {
			t.Errorf("got %d %swant 504 %s", w.Code, w.Body, want)
		}
		if w := call(h, request); w.Code != 503 {
			t.Errorf("while the run goes on: got %d, want 503", w.Code)
		}
		time.Sleep(time.Minute)
		synctest.Wait()
		if w := call(h, request); w.Code != 504 {
			t.Errorf("after it: got %d, want 504", w.Code)
		}
		time.Sleep(2 * time.Minute)
	})
}

// A failing run does not affect the server, whether it returns an error, causes a run-time error of Go, or
// panics.
func TestFailures(t *testing.T) {
	var before func() error
	h := server(t, adder(1, func() error { return before() }))
	for _, tt := range []struct {
		before func() error
		code   int
		want   string
	}{
		{func() error { return errors.New("adder: index 9 of 3") }, 400, "adder: index 9 of 3"},
		{func() error { panic("BUG: x") }, 500, "the model failed: BUG: x"},
		{func() (err error) {
			defer func() { err = recover().(error) }()
			var none []int
			return errors.New(string(rune(none[0])))
		}, 500, "runtime error: index out of range [0] with length 0"},
	} {
		before = tt.before
		want := `{"error":"` + tt.want + `"}` + "\n"
		if w := call(h, request); w.Code != tt.code || w.Body.String() != want {
			t.Errorf("got %d %swant %d %s", w.Code, w.Body, tt.code, want)
		}
		before = func() error { return nil }
		if w := call(h, request); w.Code != 200 {
			t.Errorf("after %q: got %d %s", tt.want, w.Code, w.Body)
		}
	}
}

func TestPages(t *testing.T) {
	h := server(t, adder(2, nil))
	get := func(path string) string {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest("GET", path, nil))
		if w.Code != 200 {
			t.Errorf("GET %s: got %d", path, w.Code)
		}
		return w.Body.String()
	}
	call(h, request) // one input is missing
	call(h, `{"inputs":{"x":[[1,2]],"y":[[1,2]]}}`)
	for _, tt := range []struct {
		path string
		want []string
	}{
		{"/healthz", []string{"ok\n"}},
		{"/", []string{
			"The model \"adder\", compiled by bbgen from adder.onnx.\n",
			"input   y float32[n,2]\n",
			`-d '{"inputs": {"x": {"shape": [1, 2], "data": [0, 0]}, "y": {"shape": [1, 2], "data": [0, 0]}}}'`,
		}},
		{"/metrics", []string{
			"# TYPE bbgen_requests_total counter\nbbgen_requests_total{code=\"200\"} 1\nbbgen_requests_total{code=\"400\"} 1\n",
			"bbgen_request_duration_seconds_bucket{le=\"+Inf\"} 2\n",
			"bbgen_request_duration_seconds_count 2\n",
			"bbgen_in_flight 0\n",
			"bbgen_model_info{name=\"adder\",source=\"adder.onnx\",weight_bytes=\"12\",level=",
		}},
	} {
		page := get(tt.path)
		for _, want := range tt.want {
			if !strings.Contains(page, want) {
				t.Errorf("GET %s: got\n%s\nwant in it\n%s", tt.path, page, want)
			}
		}
	}
	w := httptest.NewRecorder()
	if h.ServeHTTP(w, httptest.NewRequest("GET", "/run", nil)); w.Code != 405 {
		t.Errorf("GET /run: got %d, want 405", w.Code)
	}
}

// TestExampleWorks checks that the example of the help page is a valid request.
func TestExampleWorks(t *testing.T) {
	p := adder(2, nil)
	if w := call(server(t, p), exampleJSON(p)); w.Code != 200 {
		t.Errorf("%s: got %d %s", exampleJSON(p), w.Code, w.Body)
	}
}

// TestSlowClient checks that a client that stops sending is disconnected.
func TestSlowClient(t *testing.T) {
	for sent, want := range map[string]string{
		"POST /run HTTP/1.1\r\nHost: localhost\r\n":                                                             "",
		"POST /run HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{": "HTTP/1.1 408 Request Timeout\r\n",
	} {
		serving(t, careful, func(p pipes) {
			c, there := net.Pipe()
			p.conns <- there
			go io.WriteString(c, sent)
			got, err := io.ReadAll(c)
			if err != nil || !strings.HasPrefix(string(got), want) || want == "" && len(got) > 0 {
				t.Errorf("%q: got %q, %v, want %q and the end", sent, got, err, want)
			}
			c.Close()
		})
	}
}

func TestParse(t *testing.T) {
	for _, tt := range []struct{ args, want string }{
		{"-max-request 0", `invalid value "0" for flag -max-request: want a size above 0 as in 65536, 64KiB, 16MiB or 1GiB`},
		{"-max-request 9999999999GiB", `invalid value "9999999999GiB" for flag -max-request: want a size above 0 as in 65536, 64KiB, 16MiB or 1GiB`},
		{"-timeout 0s", "-timeout is 0s, want more than 0"},
		{"-concurrency -1", "-concurrency is -1, want none below 0"},
		{"-queue -1", "-queue is -1, want none below 0"},
		{"-batch 0", "-batch is 0, want 1 or more"},
		{"-batch-wait -1s", "-batch-wait is -1s, want none below 0"},
		{"-connections 0", "-connections is 0, want 1 or more"},
		{"-max-bodies 1MiB", "-max-bodies is 1MiB, want more than -max-request, 16MiB"},
		{"now", `unexpected argument "now"`},
	} {
		var out strings.Builder
		if _, err := parse(model.Program{}, strings.Fields(tt.args), &out); err == nil || err.Error() != tt.want || out.Len() > 0 {
			t.Errorf("%s: error %v after %q, want %s", tt.args, err, &out, tt.want)
		}
	}
	var out strings.Builder
	if _, err := parse(model.Program{}, []string{"-h"}, &out); err != flag.ErrHelp || !strings.HasPrefix(out.String(), "usage: serve [flags]\n\n  -batch rows\n") {
		t.Errorf("-h: error %v after %q", err, &out)
	}
	for text, want := range map[string]string{"65536": "64KiB", "1000": "1000", "2048KiB": "2MiB", "1GiB": "1GiB"} {
		opt, err := parse(model.Program{}, []string{"-max-request", text}, io.Discard)
		if got := opt.maxRequest.String(); err != nil || got != want {
			t.Errorf("-max-request %s: got %s, %v, want %s", text, got, err, want)
		}
	}
}
