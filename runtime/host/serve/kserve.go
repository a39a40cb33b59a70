package serve

import (
	"net/http"

	"github.com/bbgen/bbgen/runtime/model"
	"github.com/bbgen/bbgen/runtime/tensor"
)

// version is the name of the model's only version in KServe's protocol.
const version = "1"

// datatypes maps element types to their names in KServe's protocol.
var datatypes = map[tensor.DType]string{
	tensor.Bool:     "BOOL",
	tensor.Uint8:    "UINT8",
	tensor.Uint16:   "UINT16",
	tensor.Uint32:   "UINT32",
	tensor.Uint64:   "UINT64",
	tensor.Int8:     "INT8",
	tensor.Int16:    "INT16",
	tensor.Int32:    "INT32",
	tensor.Int64:    "INT64",
	tensor.Float16:  "FP16",
	tensor.BFloat16: "BF16",
	tensor.Float32:  "FP32",
	tensor.Float64:  "FP64",
	tensor.String:   "BYTES",
}

// kserve returns the routes of KServe's Open Inference Protocol, version 2, with its extension for binary
// tensors: https://github.com/kserve/open-inference-protocol.
func (h *handler) kserve() []route {
	object := map[string]string{mimeJSON: "Object"}
	say := func(key string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) { writeJSON(w, 200, map[string]bool{key: true}) }
	}
	routes := []route{
		{method: "GET", path: "/v2", id: "server", summary: "Name the server and what it can do.", answer: h.serverMetadata, response: object},
		{method: "GET", path: "/v2/health/live", id: "live", summary: "Say that the server is there.", answer: say("live"), response: object},
		{method: "GET", path: "/v2/health/ready", id: "ready", summary: "Say that the model can be asked.", answer: say("ready"), response: object},
	}
	const model, of = "/v2/models/{model}", "/versions/{version}"
	for _, at := range []struct{ path, suffix string }{{model, ""}, {model + of, "Version"}} {
		routes = append(routes,
			route{method: "GET", path: at.path, id: "metadata" + at.suffix, summary: "Inputs and outputs of the model.", answer: h.named(h.modelMetadata), response: object},
			route{method: "GET", path: at.path + "/ready", id: "modelReady" + at.suffix, summary: "Say that the model can be asked.", answer: h.named(h.modelReady), response: object},
			route{
				method: "POST", path: at.path + "/infer", id: "infer" + at.suffix, summary: "Compute the outputs of the model by KServe's protocol.",
				answer: h.named(h.runs(h.infer)), request: map[string]string{mimeJSON: "InferRequest"}, response: map[string]string{mimeJSON: "InferResponse"},
			},
		)
	}
	return routes
}

// named answers requests for this model and its version, and refuses others.
func (h *handler) named(answer http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if name := r.PathValue("model"); name != h.p.Name {
			refuse(w, failf(http.StatusNotFound, "there is no model %q, the model is %q", name, h.p.Name))
			return
		}
		if v := r.PathValue("version"); v != "" && v != version {
			refuse(w, failf(http.StatusNotFound, "there is no version %q, the version is %q", v, version))
			return
		}
		answer(w, r)
	}
}

func (h *handler) serverMetadata(w http.ResponseWriter, _ *http.Request) {
	writeJSON(w, 200, struct {
		Name       string   `json:"name"`
		Version    string   `json:"version"`
		Extensions []string `json:"extensions"`
	}{"bbgen", "2", []string{"binary_tensor_data"}})
}

func (h *handler) modelReady(w http.ResponseWriter, _ *http.Request) {
	writeJSON(w, 200, struct {
		Name  string `json:"name"`
		Ready bool   `json:"ready"`
	}{h.p.Name, true})
}

// tensorMetadata is an input or an output as KServe describes it.
type tensorMetadata struct {
	Name     string `json:"name"`
	Datatype string `json:"datatype"`
	Shape    []int  `json:"shape"` // varying sizes are -1
}

func (h *handler) modelMetadata(w http.ResponseWriter, _ *http.Request) {
	writeJSON(w, 200, struct {
		Name     string           `json:"name"`
		Versions []string         `json:"versions"`
		Platform string           `json:"platform"`
		Inputs   []tensorMetadata `json:"inputs"`
		Outputs  []tensorMetadata `json:"outputs"`
	}{h.p.Name, []string{version}, "bbgen", describe(h.p.Inputs), describe(h.p.Outputs)})
}

// describe describes the ports in KServe's protocol. A type that the protocol lacks keeps the model's name.
func describe(ports []model.Port) []tensorMetadata {
	all := make([]tensorMetadata, len(ports))
	for i, p := range ports {
		all[i] = tensorMetadata{Name: p.Name, Datatype: p.Type, Shape: sizes(p.Dims, -1)}
		if name, ok := datatypes[p.Elem]; ok && p.Key == tensor.Undefined {
			all[i].Datatype = name
		}
	}
	return all
}

// foreign returns the first port whose type KServe's protocol lacks, or nil.
func foreign(ports []model.Port) *model.Port {
	for i, p := range ports {
		if datatypes[p.Elem] == "" || p.Key != tensor.Undefined {
			return &ports[i]
		}
	}
	return nil
}
