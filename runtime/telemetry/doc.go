// Package telemetry holds the measurements of a node: histograms with buckets that are powers of two, so that
// measuring costs almost nothing.
package telemetry
