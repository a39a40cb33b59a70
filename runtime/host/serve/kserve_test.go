package serve

import (
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/bbgen/bbgen/runtime/model"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// send sends a request to a path; header has alternating names and values.
func send(h http.Handler, method, path, body string, header ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, path, strings.NewReader(body))
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

func TestKServePages(t *testing.T) {
	h := server(t, adder(1, nil))
	const metadata = `{"name":"adder","versions":["1"],"platform":"bbgen",` +
		`"inputs":[{"name":"x","datatype":"FP32","shape":[-1,2]}],"outputs":[{"name":"sum","datatype":"FP32","shape":[-1,2]}]}`
	for _, tt := range []struct {
		path string
		code int
		want string
	}{
		{"/v2", 200, `{"name":"bbgen","version":"2","extensions":["binary_tensor_data"]}`},
		{"/v2/health/live", 200, `{"live":true}`},
		{"/v2/health/ready", 200, `{"ready":true}`},
		{"/v2/models/adder", 200, metadata},
		{"/v2/models/adder/versions/1", 200, metadata},
		{"/v2/models/adder/ready", 200, `{"name":"adder","ready":true}`},
		{"/v2/models/other/ready", 404, `{"error":"there is no model \"other\", the model is \"adder\""}`},
		{"/v2/models/adder/versions/2", 404, `{"error":"there is no version \"2\", the version is \"1\""}`},
	} {
		if w := send(h, "GET", tt.path, ""); w.Code != tt.code || w.Body.String() != tt.want+"\n" {
			t.Errorf("%s: got %d %swant %d %s", tt.path, w.Code, w.Body, tt.code, tt.want)
		}
	}
}

const inferPath = "/v2/models/adder/infer"

func TestInfer(t *testing.T) {
	h, err := newHandler(adder(2, nil), options{concurrency: 1, maxRequest: 1000, maxBodies: 1 << 20, timeout: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	const y = `,{"name":"y","datatype":"FP32","shape":[1,2],"data":[[10,20]]}]`
	for _, tt := range []struct{ body, want string }{
		{
			`{"id":"7","parameters":{"priority":1},"inputs":[{"name":"x","datatype":"FP32","shape":[1,2],"data":[1,2]}` + y + `,"outputs":[{"name":"sum"}]}`,
			`{"model_name":"adder","model_version":"1","id":"7","outputs":[{"name":"sum","datatype":"FP32","shape":[1,2],"data":[11,22]}]}`,
		},
		{`{"inputs":[{"name":"x","datatype":"FP64","shape":[1,2],"data":[1,2]}` + y + `}`, `{"error":"input \"x\": datatype is \"FP64\", want \"FP32\""}`},
		{`{"inputs":[{"name":"x","datatype":"FP32","data":[1,2]}` + y + `}`, `{"error":"input \"x\": has no \"shape\""}`},
		{`{"inputs":[{"name":"x","datatype":"FP32","shape":[1,2]}` + y + `}`, `{"error":"input \"x\": has no \"data\""}`},
		{`{"inputs":[{"name":"x","datatype":"FP32","shape":[1,3],"data":[1,2,3]}` + y + `}`, `{"error":"input \"x\": found float32[1,3], want float32[n,2]"}`},
		{`{"inputs":[{"name":"x","datatype":"FP32","shape":[10000,10000],"data":[1]}` + y + `}`, `{"error":"input \"x\": data is float32[1], want 100000000 elements for float32[10000,10000]"}`},
		{`{"inputs":[{"name":"z"}` + y + `}`, `{"error":"there is no input \"z\"; there are: x, y"}`},
		{`{"inputs":[]}`, `{"error":"input \"x\" is missing, want float32[n,2]"}`},
		{`{"inputs":[],"outputs":[{"name":"z"}]}`, `{"error":"there is no output \"z\"; there are: sum"}`},
		{`{"inputs":[{"name":"y","datatype":"FP32","shape":[1,2],"data":[1,2]}` + y + `}`, `{"error":"input \"y\" is there twice"}`},
		{`{"inputs":[{"name":"x","datatype":"FP32","shape":[1,2],"parameters":{"binary_data_size":8}}` + y + `}`, `{"error":"input \"x\": binary_data_size is 8, and 0 bytes are left behind the JSON"}`},
	} {
		w := send(h, "POST", inferPath, tt.body)
		if want := 400 - 200*strings.Count(tt.want, "model_name"); w.Code != want || w.Body.String() != tt.want+"\n" {
			t.Errorf("%s\n got %d %swant %d %s", tt.body, w.Code, w.Body, want, tt.want)
		}
	}
}

// TestInferBinary: tensors are sent and returned after the JSON.
func TestInferBinary(t *testing.T) {
	h, err := newHandler(adder(1, nil), options{concurrency: 1, maxRequest: 1000, maxBodies: 1 << 20, timeout: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	const values = "\x00\x00\x80\x3f\x00\x00\x00\x40" // 1, 2
	const head = `{"inputs":[{"name":"x","datatype":"FP32","shape":[1,2],"parameters":{"binary_data_size":8}}],`
	for _, ask := range []string{`"parameters":{"binary_data_output":true}}`, `"outputs":[{"name":"sum","parameters":{"binary_data":true}}]}`} {
		w := send(h, "POST", inferPath, head+ask+values, jsonLength, strconv.Itoa(len(head+ask)))
		want := `{"model_name":"adder","model_version":"1","outputs":[{"name":"sum","datatype":"FP32","shape":[1,2],"parameters":{"binary_data_size":8}}]}`
		if w.Code != 200 || w.Body.String() != want+values || w.Header().Get(jsonLength) != strconv.Itoa(len(want)) || w.Header().Get("Content-Type") != "application/octet-stream" {
			t.Errorf("got %d %q, header %v, want %q", w.Code, w.Body, w.Header(), want+values)
		}
	}
	plain := `{"inputs":[{"name":"x","datatype":"FP32","shape":[1,2],"data":[1,2]}]}`
	for _, tt := range []struct{ length, want string }{
		{"x", `Inference-Header-Content-Length is \"x\", want a number of bytes`},
		{"999", `Inference-Header-Content-Length is 999, and the body has 78 bytes`},
		{strconv.Itoa(len(plain)), `8 bytes behind the JSON belong to no input`},
	} {
		if w := send(h, "POST", inferPath, plain+values, jsonLength, tt.length); w.Code != 400 || !strings.Contains(w.Body.String(), tt.want) {
			t.Errorf("%s: got %d %s, want %s", tt.length, w.Code, w.Body, tt.want)
		}
	}
}

// TestBinary: tensors of each type are decoded as they were encoded, and wrong lengths are refused.
func TestBinary(t *testing.T) {
	for d := range datatypes {
		x := tensor.New(d, 2, 1)
		if d == tensor.String {
			copy(tensor.Data[string](x), []string{"a", "längere"})
		} else {
			x.Bytes()[0] = 1
		}
		b := appendBinary([]byte("before"), x)[6:]
		got, err := fromBinary(d, x.Shape, 2, b)
		if err != nil || !tensor.Equal(got.(*tensor.Tensor), x) {
			t.Errorf("%v: got %v, %v, want %v", d, got, err, x)
		}
		for n := range len(b) {
			if _, err := fromBinary(d, x.Shape, 2, b[:n]); err == nil {
				t.Errorf("%v: %d of %d bytes are taken", d, n, len(b))
			}
		}
		if _, err := fromBinary(d, x.Shape, 2, append(b, 0)); err == nil {
			t.Errorf("%v: a byte too many is taken", d)
		}
	}
	if _, err := fromBinary(tensor.Bool, []int{1}, 1, []byte{2}); err == nil {
		t.Error("a bool of 2 is taken")
	}
	if _, err := fromBinary(tensor.String, []int{1 << 30}, 1<<30, []byte{0, 0, 0, 0}); err == nil {
		t.Error("a thousand million strings in 4 bytes are taken")
	}
}

// TestInferForeign: types that the protocol lacks are refused, but described.
func TestInferForeign(t *testing.T) {
	p := adder(1, nil)
	p.Outputs[0] = model.Port{Name: "classes", Type: "sequence(map(int64,float32))"}
	h := server(t, p)
	w := send(h, "POST", inferPath, `{}`)
	if want := `{"error":"\"classes\" is sequence(map(int64,float32)), which KServe's protocol does not have: use POST /run"}` + "\n"; w.Code != 501 || w.Body.String() != want {
		t.Errorf("got %d %swant 501 %s", w.Code, w.Body, want)
	}
	if w := send(h, "GET", "/v2/models/adder", ""); !strings.Contains(w.Body.String(), `"datatype":"sequence(map(int64,float32))","shape":[]`) {
		t.Errorf("got %s", w.Body)
	}
}

// FuzzInfer checks that no request makes the server panic.
func FuzzInfer(f *testing.F) {
	f.Add([]byte(`{"inputs":[{"name":"x","datatype":"FP32","shape":[1,2],"parameters":{"binary_data_size":8}}]}12345678`), 93)
	f.Add([]byte(`{"inputs":[{"name":"x","datatype":"BYTES","shape":[1,2],"data":["a","b"]}]}`), -1)
	f.Fuzz(func(t *testing.T, body []byte, n int) {
		for _, d := range []tensor.DType{tensor.Float32, tensor.String, tensor.Bool} {
			p := adder(1, nil)
			p.Inputs[0].Elem, p.Outputs[0].Name = d, "x"
			x := &inference{p: p, json: max(n, -1), header: http.Header{}}
			in, err := x.decode(body)
			if err != nil || check(p.Inputs, in) != nil {
				continue
			}
			if _, err := x.encode(in); err != nil {
				t.Error(err)
			}
		}
	})
}
