package otlp

import (
	"reflect"
	"strings"
	"testing"
	"time"
)

// read is Read of an environment such as A=1 B=2.
func read(base, env string) (*Config, error) {
	vars := map[string]string{}
	for _, v := range strings.Fields(env) {
		name, value, _ := strings.Cut(v, "=")
		vars[name] = value
	}
	return Read(base, func(name string) string { return vars[name] })
}

// TestRead shows which environment gives which configuration.
func TestRead(t *testing.T) {
	for _, c := range []struct {
		base, env string
		want      *Config
	}{
		{"", "", nil},
		{"", "OTEL_SERVICE_NAME=weather", nil},
		{"http://here:4318", "", &Config{Endpoint: "http://here:4318/v1/traces"}},
		{"https://here/otlp/", "", &Config{Endpoint: "https://here/otlp/v1/traces"}},
		{"", "OTEL_EXPORTER_OTLP_ENDPOINT=http://env:4318", &Config{Endpoint: "http://env:4318/v1/traces"}},
		{"http://here:1", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT=http://env:2/traces", &Config{Endpoint: "http://here:1/v1/traces"}},
		{"", "OTEL_EXPORTER_OTLP_ENDPOINT=http://env:1 OTEL_EXPORTER_OTLP_TRACES_ENDPOINT=http://env:2/traces", &Config{Endpoint: "http://env:2/traces"}},
		{"http://here:1", "OTEL_SDK_DISABLED=True", nil},
		{"http://here:1", "OTEL_TRACES_EXPORTER=none", nil},
		{"http://h", "OTEL_EXPORTER_OTLP_HEADERS=api-key=a%20b,x=1%3D2", &Config{Headers: []Attribute{{"api-key", "a b"}, {"x", "1=2"}}}},
		{"http://h", "OTEL_EXPORTER_OTLP_HEADERS=a=1 OTEL_EXPORTER_OTLP_TRACES_HEADERS=b=2", &Config{Headers: []Attribute{{"b", "2"}}}},
		{"http://h", "OTEL_EXPORTER_OTLP_COMPRESSION=gzip OTEL_EXPORTER_OTLP_TIMEOUT=1500 OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf", &Config{Gzip: true, Timeout: 1500 * time.Millisecond}},
		{"http://h", "OTEL_SERVICE_NAME=weather OTEL_RESOURCE_ATTRIBUTES=service.name=other,host.name=a", &Config{Service: "weather", Resource: []Attribute{{"service.name", "other"}, {"host.name", "a"}}}},
		{"http://h", "OTEL_TRACES_SAMPLER=parentbased_traceidratio OTEL_TRACES_SAMPLER_ARG=0.25", &Config{Ratio: 0.25}},
	} {
		got, err := read(c.base, c.env)
		if err != nil {
			t.Errorf("%s %s: %v", c.base, c.env, err)
		}
		if c.want != nil {
			if c.want.Endpoint == "" {
				c.want.Endpoint = "http://h/v1/traces"
			}
			if c.want.Timeout == 0 {
				c.want.Timeout = defaultTimeout
			}
			if c.want.Ratio == 0 {
				c.want.Ratio = 1
			}
		}
		if !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s %s: got %+v, want %+v", c.base, c.env, got, c.want)
		}
	}
	if got, err := read("http://h", "OTEL_TRACES_SAMPLER=always_off"); err != nil || got.Ratio != 0 {
		t.Errorf("always_off: got %+v, %v", got, err)
	}
}

// TestReadRefuses shows the errors of wrong settings. Headers may hold secrets, so that errors do not quote them.
func TestReadRefuses(t *testing.T) {
	for env, want := range map[string]string{
		"OTEL_EXPORTER_OTLP_PROTOCOL=grpc":                           `OTEL_EXPORTER_OTLP_PROTOCOL: "grpc": want http/protobuf`,
		"OTEL_EXPORTER_OTLP_TRACES_COMPRESSION=zstd":                 `OTEL_EXPORTER_OTLP_TRACES_COMPRESSION: "zstd": want none or gzip`,
		"OTEL_EXPORTER_OTLP_HEADERS=key":                             `OTEL_EXPORTER_OTLP_HEADERS: entry 1 is not KEY=VALUE with a percent-encoded value`,
		"OTEL_EXPORTER_OTLP_HEADERS=a=1,b=%zz":                       `OTEL_EXPORTER_OTLP_HEADERS: entry 2 is not KEY=VALUE with a percent-encoded value`,
		"OTEL_EXPORTER_OTLP_HEADERS=a%0a=secret,a:b=1":               `OTEL_EXPORTER_OTLP_HEADERS: "a:b" cannot be a header of HTTP`,
		"OTEL_EXPORTER_OTLP_TRACES_HEADERS=a=b%0d%0ac:d":             `OTEL_EXPORTER_OTLP_TRACES_HEADERS: "a" cannot be a header of HTTP`,
		"OTEL_RESOURCE_ATTRIBUTES==x":                                `OTEL_RESOURCE_ATTRIBUTES: entry 1 is not KEY=VALUE with a percent-encoded value`,
		"OTEL_EXPORTER_OTLP_TIMEOUT=10s":                             `OTEL_EXPORTER_OTLP_TIMEOUT: "10s": want milliseconds`,
		"OTEL_TRACES_SAMPLER=jaeger_remote":                          `OTEL_TRACES_SAMPLER: "jaeger_remote": want always_on, always_off or traceidratio, also with parentbased_ before it`,
		"OTEL_TRACES_SAMPLER=traceidratio OTEL_TRACES_SAMPLER_ARG=2": `OTEL_TRACES_SAMPLER_ARG: "2": want a number from 0 to 1`,
	} {
		if _, err := read("http://h", env); err == nil || err.Error() != want {
			t.Errorf("%s: got %v, want %s", env, err, want)
		}
	}
	for _, base := range []string{"here:4318", "grpc://here", "http://", "http://a b"} {
		if _, err := read(base, ""); err == nil || !strings.Contains(err.Error(), "want a URL such as http://localhost:4318") {
			t.Errorf("-otlp %s: got %v", base, err)
		}
		if _, err := read("", "OTEL_EXPORTER_OTLP_ENDPOINT="+strings.ReplaceAll(base, " ", "%20")); err == nil {
			t.Errorf("OTEL_EXPORTER_OTLP_ENDPOINT=%s is taken", base)
		}
	}
}

// TestResource checks that the environment overrides the attributes of the host, and the name of the service those of
// the resource.
func TestResource(t *testing.T) {
	c := Config{Service: "weather", Resource: []Attribute{{"service.name", "other"}, {"region", "north"}, {"bbgen.class", "mine"}}}
	own := []Attribute{{"service.name", "program"}, {"bbgen.class", "client"}}
	want := []Attribute{{"service.name", "weather"}, {"bbgen.class", "mine"}, {"region", "north"}}
	if got := c.resource(own); !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
