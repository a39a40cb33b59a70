package onnx

import (
	"strconv"

	"github.com/bbgen/bbgen/ir"
	"github.com/bbgen/bbgen/ir/onnx/onnxpb"
)

// Keys under which [ir.Module.Meta] holds data with fields of their own in the file.
const (
	metaProducer        = "onnx.producer_name"
	metaProducerVersion = "onnx.producer_version"
	metaDomain          = "onnx.domain"
	metaModelVersion    = "onnx.model_version"
	metaDoc             = "onnx.doc_string"
	metaGraphDoc        = "onnx.graph.doc_string"
)

// metadata returns the metadata of the file: its fields, then the model's metadata_props, then the graph's.
func metadata(p *onnxpb.ModelProto) []ir.Metadata {
	var out []ir.Metadata
	add := func(key, value string) {
		if value != "" {
			out = append(out, ir.Metadata{Key: key, Value: value})
		}
	}
	add(metaProducer, p.GetProducerName())
	add(metaProducerVersion, p.GetProducerVersion())
	add(metaDomain, p.GetDomain())
	if p.ModelVersion != nil {
		add(metaModelVersion, strconv.FormatInt(p.GetModelVersion(), 10))
	}
	add(metaDoc, p.GetDocString())
	add(metaGraphDoc, p.GetGraph().GetDocString())
	for _, list := range [][]*onnxpb.StringStringEntryProto{p.MetadataProps, p.GetGraph().GetMetadataProps()} {
		for _, kv := range list {
			out = append(out, ir.Metadata{Key: kv.GetKey(), Value: kv.GetValue()})
		}
	}
	return out
}

// putMetadata is the inverse of metadata.
func putMetadata(p *onnxpb.ModelProto, list []ir.Metadata) {
	for _, kv := range list {
		switch kv.Key {
		case metaProducer:
			p.ProducerName = &kv.Value
		case metaProducerVersion:
			p.ProducerVersion = &kv.Value
		case metaDomain:
			p.Domain = &kv.Value
		case metaModelVersion:
			if v, err := strconv.ParseInt(kv.Value, 10, 64); err == nil {
				p.ModelVersion = &v
			}
		case metaDoc:
			p.DocString = &kv.Value
		case metaGraphDoc:
			p.Graph.DocString = &kv.Value
		default:
			p.MetadataProps = append(p.MetadataProps, &onnxpb.StringStringEntryProto{Key: &kv.Key, Value: &kv.Value})
		}
	}
}
