package docs

import (
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-containerregistry/pkg/registry"
)

// services starts servers that users have and a machine may lack. It returns variables of the environment which the
// replacements of pages name: REGISTRY is the address of a registry of images, COLLECTOR the URL of a collector of
// traces, and TRACES the file to which it appends all that it receives.
func services(t *testing.T) []string {
	t.Helper()
	images := httptest.NewServer(registry.New(registry.Logger(log.New(io.Discard, "", 0))))
	t.Cleanup(images.Close)
	file := filepath.Join(t.TempDir(), "traces")
	traces := httptest.NewServer(collector(file))
	t.Cleanup(traces.Close)
	return []string{"REGISTRY=" + strings.TrimPrefix(images.URL, "http://"), "COLLECTOR=" + traces.URL, "TRACES=" + file}
}

// collector returns a handler that appends the bodies of requests to a file.
func collector(name string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := appendTo(name, r.Body); err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
		}
	})
}

func appendTo(name string, from io.Reader) error {
	f, err := os.OpenFile(name, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o666)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, from)
	if e := f.Close(); err == nil {
		err = e
	}
	return err
}

// TestServices tests that the registry answers, and that the collector keeps what it receives.
func TestServices(t *testing.T) {
	env := map[string]string{}
	for _, v := range services(t) {
		name, value, _ := strings.Cut(v, "=")
		env[name] = value
	}
	for _, url := range []string{"http://" + env["REGISTRY"] + "/v2/", env["COLLECTOR"]} {
		r, err := http.Post(url, "text/plain", strings.NewReader("a trace"))
		if err != nil || r.StatusCode != http.StatusOK {
			t.Fatalf("%s: %v, %v", url, r, err)
		}
		r.Body.Close()
	}
	if b, err := os.ReadFile(env["TRACES"]); err != nil || string(b) != "a trace" {
		t.Errorf("the collector has %q, %v", b, err)
	}
}
