package otlp

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"

	"google.golang.org/protobuf/encoding/protowire"
)

// result is the result of a request.
type result struct {
	err      error
	again    bool          // the request may be repeated
	after    time.Duration // not before that time
	rejected uint64        // spans that the collector did not take
	warning  string        // of the collector; "": none
}

// maxAnswer is how much of an answer is read, in bytes.
const maxAnswer = 64 << 10

// where returns the endpoint without a password.
func (x *Exporter) where() string {
	u, err := url.Parse(x.config.Endpoint)
	if err != nil {
		return ""
	}
	return u.Redacted()
}

// post sends a request to the collector.
func (x *Exporter) post(body []byte) result {
	req, err := x.request(body)
	if err != nil {
		return result{err: err}
	}
	resp, err := x.client.Do(req)
	if err != nil {
		return result{err: unwrapped(err), again: true}
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
	if resp.StatusCode/100 == 2 {
		r := result{}
		r.rejected, r.warning = partialSuccess(answer)
		return r
	}
	r := result{err: fmt.Errorf("the collector answers %s", resp.Status)}
	if text := statusText(answer); err == nil && text != "" {
		r.err = fmt.Errorf("%w: %s", r.err, shortened(text))
	}
	if slices.Contains(retryable, resp.StatusCode) {
		r.again, r.after = true, retryAfter(resp.Header.Get("Retry-After"), time.Now())
	}
	return r
}

// unwrapped returns the reason of an error of a request, without its URL, which may hold a password.
func unwrapped(err error) error {
	if u, ok := errors.AsType[*url.Error](err); ok {
		return u.Err
	}
	return err
}

// retryable are the status codes after which a request may be repeated.
var retryable = []int{http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout}

// request makes a request.
func (x *Exporter) request(body []byte) (*http.Request, error) {
	if x.config.Gzip {
		var b bytes.Buffer
		w := gzip.NewWriter(&b)
		w.Write(body) // into memory
		w.Close()
		body = b.Bytes()
	}
	req, err := http.NewRequestWithContext(x.ctx, http.MethodPost, x.config.Endpoint, bytes.NewReader(body))
	if err != nil {
		return nil, unwrapped(err)
	}
	req.Header.Set("User-Agent", "OTel-OTLP-Exporter-bbgen")
	for _, h := range x.config.Headers {
		req.Header.Set(h.Key, h.Value)
	}
	req.Header.Set("Content-Type", "application/x-protobuf")
	if x.config.Gzip {
		req.Header.Set("Content-Encoding", "gzip")
	}
	return req, nil
}

// maxAfter is how long a collector may make the exporter wait.
const maxAfter = 5 * time.Minute

// retryAfter returns how long a collector asks to wait: seconds, or a date. It is 0 if it does not say.
func retryAfter(text string, now time.Time) time.Duration {
	if seconds, err := strconv.ParseUint(text, 10, 31); err == nil {
		return min(time.Duration(seconds)*time.Second, maxAfter)
	}
	if at, err := http.ParseTime(text); err == nil {
		return min(max(at.Sub(now), 0), maxAfter)
	}
	return 0
}

// partialSuccess reads an ExportTraceServiceResponse: how many spans were rejected, and why.
func partialSuccess(b []byte) (rejected uint64, why string) {
	walk(b, func(number protowire.Number, _ uint64, v []byte) {
		if number != 1 {
			return
		}
		walk(v, func(number protowire.Number, n uint64, v []byte) {
			switch number {
			case 1:
				rejected = n
			case 2:
				why = shortened(string(v))
			}
		})
	})
	return rejected, why
}

// statusText reads the message of a google.rpc.Status.
func statusText(b []byte) (text string) {
	walk(b, func(number protowire.Number, _ uint64, v []byte) {
		if number == 2 {
			text = string(v)
		}
	})
	return text
}

// walk calls a function with each field of a message: its number, and its value as a number or as bytes. It ends
// where the bytes are no message.
func walk(b []byte, yield func(number protowire.Number, n uint64, v []byte)) {
	for len(b) > 0 {
		number, kind, size := protowire.ConsumeField(b)
		if size < 0 {
			return
		}
		_, _, tag := protowire.ConsumeTag(b)
		value := b[tag:size]
		b = b[size:]
		switch kind {
		case protowire.VarintType:
			n, _ := protowire.ConsumeVarint(value)
			yield(number, n, nil)
		case protowire.BytesType:
			v, _ := protowire.ConsumeBytes(value)
			yield(number, 0, v)
		}
	}
}
