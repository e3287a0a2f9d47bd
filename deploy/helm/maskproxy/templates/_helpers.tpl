{{- define "maskproxy.name" -}}
{{- printf "%s" .Release.Name | trunc 53 | trimSuffix "-" -}}
{{- end -}}

{{- define "maskproxy.selector" -}}
app.kubernetes.io/name: maskproxy
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "maskproxy.labels" -}}
{{ include "maskproxy.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end -}}
