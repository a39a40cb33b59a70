package otlp

import (
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Config says where traces go, and what they say about the process.
type Config struct {
	Endpoint string      // the URL to which spans are posted
	Headers  []Attribute // of each request
	Gzip     bool
	Timeout  time.Duration // of a request
	Service  string        // the name of the service; "": the host's default
	Resource []Attribute   // of the process, beside the host's
	Ratio    float64       // the part of all traces that is exported
}

// Attribute is a name with a text.
type Attribute struct{ Key, Value string }

// tracesPath is where a collector takes traces, below its URL.
const tracesPath = "v1/traces"

// Read returns the configuration from the URL of a collector and from the environment variables that
// OpenTelemetry's specification defines. If base is "", the URL is that of the environment. It returns nil if
// there is none, or if the environment disables traces.
func Read(base string, getenv func(string) string) (*Config, error) {
	e := environment{get: getenv}
	endpoint := e.endpoint(base)
	if e.isOff() || endpoint == "" && e.err == nil {
		return nil, nil
	}
	c := &Config{
		Endpoint: endpoint,
		Headers:  e.attributes("HEADERS", e.exporter("HEADERS")),
		Gzip:     e.choice("COMPRESSION", "none", "gzip") == "gzip",
		Timeout:  e.timeout(),
		Service:  getenv("OTEL_SERVICE_NAME"),
		Resource: e.attributes("RESOURCE_ATTRIBUTES", "OTEL_RESOURCE_ATTRIBUTES"),
		Ratio:    e.ratio(),
	}
	e.choice("PROTOCOL", "http/protobuf")
	for _, h := range c.Headers {
		e.check(isToken(h.Key) && isFieldValue(h.Value), e.exporter("HEADERS"), "%q cannot be a header of HTTP", h.Key)
	}
	if e.err != nil {
		return nil, e.err
	}
	return c, nil
}

// resource returns the attributes of the process: those of the host, with the values of the configuration.
func (c *Config) resource(own []Attribute) []Attribute {
	list := slices.Clone(own)
	set := func(a Attribute) {
		i := slices.IndexFunc(list, func(b Attribute) bool { return b.Key == a.Key })
		if i < 0 {
			list = append(list, a)
		} else {
			list[i] = a
		}
	}
	for _, a := range c.Resource {
		set(a)
	}
	if c.Service != "" {
		set(Attribute{"service.name", c.Service})
	}
	return list
}

// environment reads variables, and keeps the first error.
type environment struct {
	get func(string) string
	err error
}

// check records an error if something does not hold.
func (e *environment) check(ok bool, variable, format string, args ...any) {
	if !ok && e.err == nil {
		e.err = fmt.Errorf("%s: %s", variable, fmt.Sprintf(format, args...))
	}
}

// exporter returns the name of the variable that sets an option: the one for traces if it is set, otherwise the
// one for all signals.
func (e *environment) exporter(option string) string {
	if name := "OTEL_EXPORTER_OTLP_TRACES_" + option; e.get(name) != "" {
		return name
	}
	return "OTEL_EXPORTER_OTLP_" + option
}

// isOff reports whether the environment disables traces.
func (e *environment) isOff() bool {
	return strings.EqualFold(e.get("OTEL_SDK_DISABLED"), "true") || e.get("OTEL_TRACES_EXPORTER") == "none"
}

// endpoint returns the URL for traces. Base is that of a collector, or "".
func (e *environment) endpoint(base string) string {
	name := "-otlp"
	if base == "" {
		name = e.exporter("ENDPOINT")
		base = e.get(name)
	}
	if base == "" {
		return ""
	}
	u, err := url.Parse(base)
	if err == nil {
		_, err = url.Parse(u.String()) // which quotes bytes of a zone, but accepts no quotes there
	}
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" {
		e.check(false, name, "%q: want a URL such as http://localhost:4318", withoutPassword(base))
		return ""
	}
	if !strings.HasSuffix(name, "TRACES_ENDPOINT") { // that one names the whole path
		u = u.JoinPath(tracesPath)
	}
	return u.String()
}

// withoutPassword returns a URL, or what was meant as one, without the password in front of its host.
func withoutPassword(base string) string {
	if i := strings.LastIndexByte(base, '@'); i >= 0 {
		return "…" + base[i:]
	}
	return base
}

// attributes parses a list such as key1=value1,key2=value2, whose values are percent-encoded.
func (e *environment) attributes(what, name string) (list []Attribute) {
	for part := range strings.SplitSeq(e.get(name), ",") {
		if strings.TrimSpace(part) == "" {
			continue
		}
		key, value, ok := strings.Cut(part, "=")
		key = strings.TrimSpace(key)
		text, err := url.PathUnescape(strings.TrimSpace(value))
		e.check(ok && key != "" && err == nil, name, "entry %d is not KEY=VALUE with a percent-encoded value", len(list)+1)
		list = append(list, Attribute{key, text})
	}
	return list
}

// choice returns the value of an option of the exporter, which must be an allowed one; "" is the first of these.
func (e *environment) choice(option string, allowed ...string) string {
	name := e.exporter(option)
	value := e.get(name)
	if value == "" {
		return allowed[0]
	}
	for _, a := range allowed {
		if value == a {
			return a
		}
	}
	e.check(false, name, "%q: want %s", value, strings.Join(allowed, " or "))
	return allowed[0]
}

// defaultTimeout is how long a request may take.
const defaultTimeout = 10 * time.Second

// timeout returns the time limit of a request, which is given in milliseconds.
func (e *environment) timeout() time.Duration {
	name := e.exporter("TIMEOUT")
	text := e.get(name)
	if text == "" {
		return defaultTimeout
	}
	ms, err := strconv.ParseUint(text, 10, 31)
	e.check(err == nil && ms > 0, name, "%q: want milliseconds", text)
	return time.Duration(ms) * time.Millisecond
}

// ratio returns which part of all traces is exported. The samplers of the specification that depend on the parent
// do the same here, because all peers decide by the id of the trace.
func (e *environment) ratio() float64 {
	const variable = "OTEL_TRACES_SAMPLER"
	switch sampler := e.get(variable); strings.TrimPrefix(sampler, "parentbased_") {
	case "", "always_on":
		return 1
	case "always_off":
		return 0
	case "traceidratio":
		text := e.get(variable + "_ARG")
		if text == "" {
			return 1
		}
		x, err := strconv.ParseFloat(text, 64)
		e.check(err == nil && x >= 0 && x <= 1, variable+"_ARG", "%q: want a number from 0 to 1", text)
		return x
	default:
		e.check(false, variable, "%q: want always_on, always_off or traceidratio, also with parentbased_ before it", sampler)
		return 1
	}
}

// isToken reports whether a text may be the name of a header.
func isToken(s string) bool {
	return s != "" && !strings.ContainsFunc(s, func(r rune) bool {
		return r <= ' ' || r >= 0x7f || strings.ContainsRune(`"(),/:;<=>?@[\]{}`, r)
	})
}

// isFieldValue reports whether a text may be the value of a header.
func isFieldValue(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f })
}
