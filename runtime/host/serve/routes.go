package serve

import "net/http"

// route is a path of the server. The OpenAPI document is made from the same list.
type route struct {
	method, path string
	id           string // of the operation, in the document
	summary      string
	answer       http.HandlerFunc
	request      map[string]string // the schema of a request's body, by media type; may be nil
	response     map[string]string // the schema of an answer with status 200
}

// routes returns all paths except the profiler's.
func (h *handler) routes() []route {
	files := map[string]string{}
	for _, f := range formats[1:] {
		files[f.mime] = "Binary"
	}
	text := map[string]string{"text/plain": "Text"}
	return append(h.kserve(), []route{
		{
			method: "POST", path: "/run", id: "run", summary: "Compute the outputs of the model.",
			answer:  h.runs(h.begin),
			request: with(files, mimeJSON, "Request"), response: with(files, mimeJSON, "Response"),
		},
		{
			method: "GET", path: "/healthz", id: "health", summary: "Say that the server is there.", response: text,
			answer: func(w http.ResponseWriter, _ *http.Request) { write(w, 200, mimeText, []byte("ok\n")) },
		},
		{
			method: "GET", path: "/metrics", id: "metrics", summary: "Counters for Prometheus.", response: text,
			answer: func(w http.ResponseWriter, _ *http.Request) { write(w, 200, mimeMetrics, h.metrics.text()) },
		},
		{
			method: "GET", path: "/openapi.json", id: "openapi", summary: "This document.", response: map[string]string{mimeJSON: "Object"},
			answer: func(w http.ResponseWriter, _ *http.Request) { writeJSON(w, 200, h.openAPI()) },
		},
		{
			method: "GET", path: "/{$}", id: "help", summary: "The inputs of the model, with an example.", response: text,
			answer: func(w http.ResponseWriter, r *http.Request) { write(w, 200, mimeText, help(h.p, r.Host)) },
		},
	}...)
}

// with returns a copy of m with another entry.
func with(m map[string]string, key, value string) map[string]string {
	c := map[string]string{key: value}
	for k, v := range m {
		c[k] = v
	}
	return c
}
